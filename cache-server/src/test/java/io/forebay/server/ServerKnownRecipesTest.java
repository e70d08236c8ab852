package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Purges find what was stored by the key recipes of earlier configurations. */
@Tag("slow")
final class ServerKnownRecipesTest {
  private static final int MAX = 50;
  private static final Pattern RECIPE = Pattern.compile("\"fixedHost\"");

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    for (String path : List.of("/x", "/y", "/kept")) {
      origin.on(
          path,
          (request, connection) ->
              TestOrigin.sendOk(
                  connection,
                  "cache-control: max-age=1000\r\n",
                  TestOrigin.ascii("v" + request.number())));
    }
    edge = Edge.before(origin, directory, "32MiB", key("strip: [utm_*]"));
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** Two routes, of which one never changes. The port is another one after a restart. */
  private static String key(String recipe) {
    return "routes: [{match: {path: /}, key: {port: no, "
        + recipe
        + "}}, {match: {path: /kept}, key: {port: no}}]\n";
  }

  private void reload(String recipe) throws IOException {
    edge.configure(Edge.origins(origin.url()) + key(recipe));
    assertEquals(List.of(), edge.server().reload().errors());
  }

  private String get(String target) throws IOException {
    try (RawClient client = edge.connect()) {
      return client.get(target).text();
    }
  }

  private void awaitHit(String target) {
    Await.until(
        "a hit for " + target,
        () -> {
          try (RawClient client = edge.connect()) {
            Response response = client.get(target);
            return response.isHit();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private void store(String target) throws IOException {
    assertEquals("v1", get(target));
    awaitHit(target);
  }

  private long recipesOnFile() throws IOException {
    return RECIPE.matcher(Files.readString(file())).results().count();
  }

  private Path file() {
    return directory.resolve("data/key-recipes.json");
  }

  @Test
  void aPurgeByUrlFindsWhatARecipeStoredThatIsNotInForceAndComesBack() throws IOException {
    store("/x?utm_source=1&a=1");
    store("/y?utm_source=1&a=1");
    reload("query: ignore");
    edge.purgeUrl("/x?a=1&utm_source=2");
    reload("strip: [utm_*]");
    assertEquals("v2", get("/x?a=1"));
    assertEquals("v1", get("/y?a=1"), "what nobody purged");
  }

  @Test
  void soItDoesAfterARestartWithTheOtherRecipe() throws IOException {
    store("/x?utm_source=1&a=1");
    store("/y?utm_source=1&a=1");
    edge.configure(Edge.origins(origin.url()) + key("query: ignore"));
    edge.stop();
    edge.start();
    edge.purgeUrl("/x?a=1&utm_source=2");
    reload("strip: [utm_*]");
    assertEquals("v2", get("/x?a=1"));
    assertEquals("v1", get("/y?a=1"), "what nobody purged");
  }

  @Test
  void purgesByHostAndPrefixFindItToo() throws IOException {
    reload("host: shared.example");
    store("/x");
    store("/y");
    reload("query: ignore");
    edge.purge(PurgeKind.PREFIX, edge.url("/x"), false);
    reload("host: shared.example");
    assertEquals("v2", get("/x"));
    assertEquals("v1", get("/y"));
    reload("query: ignore");
    edge.purge(PurgeKind.HOST, "127.0.0.1", false);
    reload("host: shared.example");
    assertEquals("v2", get("/y"));
  }

  @Test
  void everythingIsPurgedWhereMoreRecipesWereInUseThanAreKept() throws IOException {
    store("/kept");
    // The recipe of the other route, and the first one of this route.
    for (int n = 2; n < MAX; n++) {
      reload("strip: [p" + n + "]");
    }
    assertEquals(MAX, recipesOnFile());
    reload("strip: [p2]");
    assertEquals(MAX, recipesOnFile(), "distinct ones only");
    awaitHit("/kept");
    reload("strip: [one-too-many]");
    assertEquals("v2", get("/kept"));
    // The other route's, that of before and that of now.
    assertEquals(3, recipesOnFile());
  }

  @Test
  void recipesOfWhichNothingIsStoredAreForgotten() throws IOException {
    store("/x?a=1");
    for (int n = 2; n < MAX; n++) {
      reload("strip: [p" + n + "]");
    }
    edge.stop();
    edge.start();
    edge.purge(PurgeKind.EVERYTHING, "", false);
    store("/kept");
    reload("strip: [another]");
    assertTrue(recipesOnFile() <= 3, recipesOnFile() + " recipes");
    awaitHit("/kept");
  }

  @Test
  void theOldestObjectTellsWhichRecipesAreForgotten() throws IOException {
    for (int n = 2; n < MAX; n++) {
      reload("strip: [p" + n + "]");
    }
    edge.stop();
    edge.start();
    store("/kept");
    reload("strip: [another]");
    assertTrue(recipesOnFile() <= 3, recipesOnFile() + " recipes");
    awaitHit("/kept");
  }

  @Test
  void everythingIsPurgedOnceWhereTheFileIsDamaged() throws IOException {
    store("/kept");
    edge.stop();
    Files.writeString(file(), "{\"store\":\"");
    edge.start();
    assertEquals("v2", get("/kept"));
    awaitHit("/kept");
    edge.stop();
    edge.start();
    assertEquals("v2", get("/kept"));
    assertFalse(Files.readString(file()).isEmpty());
  }
}
