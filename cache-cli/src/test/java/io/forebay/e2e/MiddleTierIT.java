package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Directories;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient.Response;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A small memory tier and a second tmpfs behind it, with the packaged jar. */
@Tag("full")
final class MiddleTierIT {
  /** Two and a half times of what the memory tier holds. */
  private static final int OBJECTS = 400;

  private static final int LENGTH = 100_000;

  @TempDir Path directory;
  private Path place;

  @BeforeEach
  void aSecondTmpfs() throws Exception {
    place = Directories.inMemory("forebay-e2e-tier-");
  }

  @AfterEach
  void itIsRemoved() throws Exception {
    Directories.delete(place);
  }

  private static String path(int n) {
    return "/object/" + n;
  }

  private static String body(int n) {
    byte[] letters = new byte[LENGTH];
    SplittableRandom random = new SplittableRandom(n);
    for (int i = 0; i < letters.length; i++) {
      letters[i] = (byte) ('a' + random.nextInt(26));
    }
    return new String(letters, StandardCharsets.US_ASCII);
  }

  private static void check(int n, Response response) {
    assertEquals(200, response.status());
    assertArrayEquals(body(n).getBytes(StandardCharsets.US_ASCII), response.body());
  }

  private static void assertAllHits(EdgeProcess edge, int but) throws Exception {
    for (int n = 0; n < OBJECTS; n++) {
      if (n == but) {
        continue;
      }
      int which = n;
      Await.until(
          "a hit on " + path(n),
          () -> {
            Response response = edge.get(path(which));
            check(which, response);
            return response.isFromCache();
          });
    }
  }

  @Test
  void whatTheMemoryTierEvictsIsServedFromTheSecondTmpfsAlsoAfterAKill() throws Exception {
    Path tier = place.resolve("tier");
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .memory("16MiB")
                .with("--tier", tier + ":64MiB")
                .start()) {
      for (int n = 0; n < OBJECTS; n++) {
        origin.cacheable(path(n), body(n));
        check(n, edge.get(path(n)));
      }
      assertAllHits(edge, -1);
      assertEquals(OBJECTS, origin.requests().size(), "each object is fetched once");

      JsonNode tiers = Admin.stats(edge).path("store").path("middleTiers");
      assertEquals(1, tiers.size());
      assertEquals("tier1", tiers.get(0).path("tier").asString(""));
      assertTrue(tiers.get(0).path("demotedRecords").asLong(0) > OBJECTS / 4, tiers::toString);
      assertEquals(64L << 20, tiers.get(0).path("capacityBytes").asLong(0));
      assertTrue(edge.metrics().sum("forebay_tier_bytes", "tier=\"tier1\"") > 10 * LENGTH);
      String listed = edge.admin("/v1/store/objects?limit=1000").body();
      assertTrue(listed.contains("\"tier1\""), listed);

      explains(edge);

      Admin.purgeUrl(edge, path(7));
      edge.kill();
      edge.restart();
      assertAllHits(edge, 7);
      assertEquals(OBJECTS, origin.requests().size(), "nothing was fetched again");
      origin.cacheable(path(7), "another body");
      assertEquals("another body", new String(edge.get(path(7)).body(), StandardCharsets.UTF_8));

      // Without its file the tier is empty, and the node serves all the same.
      assertEquals(0, edge.terminate());
      Files.delete(tier.resolve("middle.tier"));
      edge.restart();
      for (int n = 0; n < OBJECTS; n++) {
        if (n != 7) {
          check(n, edge.get(path(n)));
        }
      }
      assertTrue(origin.requests().size() > OBJECTS + OBJECTS / 4, "what lay there was fetched");
      assertTrue(origin.requests().size() < 2 * OBJECTS, "what lay in the first tier was not");
      assertEquals(0, edge.terminate());
    }
  }

  /** What it says of an object depends on the tier in which that lies. */
  private static void explains(EdgeProcess edge) throws Exception {
    int inMiddle = 0;
    for (int n = 0; n < OBJECTS; n += 20) {
      JsonNode answer =
          Admin.json(
              edge.adminPost(
                      "/v1/explain",
                      "{\"method\":\"GET\",\"url\":\"" + edge.url(path(n)) + "\",\"fields\":[]}")
                  .body());
      assertEquals("serve", answer.path("answer").path("action").asString(""), answer::toString);
      boolean isMiddle =
          answer.path("stored").path("object").path("tiers").toString().contains("tier1");
      assertEquals(
          isMiddle,
          answer.path("rules").toString().contains("It is in tier1 of store.tiers"),
          answer::toString);
      inMiddle += isMiddle ? 1 : 0;
    }
    assertTrue(inMiddle > 0, "none of them is in the middle tier");
  }
}
