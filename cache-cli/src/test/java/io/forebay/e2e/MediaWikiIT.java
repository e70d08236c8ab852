package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.e2e.Visitor.Page;
import io.forebay.testing.Await;
import io.forebay.testing.Ports;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * MediaWiki with {@code $wgUseCdn} behind two edges, which it purges: one knows nothing of it but
 * {@code Vary: Cookie}, the other has {@code examples/mediawiki.yaml}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
final class MediaWikiIT {
  /** In the greeting and the scripts of a page for the user who is logged in, and in no other. */
  private static final String FOR_USER = "\"wgUserName\":\"" + MediaWikiOrigin.USER + "\"";

  private static final String FOR_NOBODY = "\"wgUserName\":null";

  @TempDir static Path directory;

  private SiteEdges edges;
  private MediaWikiOrigin wiki;

  @BeforeAll
  void start() throws Exception {
    Tools.requireMediaWiki();
    int port = Ports.free();
    edges = SiteEdges.start(directory, "mediawiki.yaml", port);
    wiki = MediaWikiOrigin.start(directory.resolve("wiki"), port, edges.all());
  }

  @AfterAll
  void stop() {
    Tools.close(edges, wiki);
  }

  @ParameterizedTest
  @EnumSource
  void anonymousReadersShareAPage(SiteEdges.Kind kind) throws Exception {
    String page = "/wiki/Shared_" + kind;
    try (Visitor user = new Visitor(edges.get(kind));
        Visitor first = new Visitor(edges.get(kind));
        Visitor second = new Visitor(edges.get(kind))) {
      edit(user, logIn(user), page, "everybody reads this");
      first.get(page).assertOk().assertStored().assertHas("everybody reads this");
      second.get(page).assertOk().assertHit().assertHas("everybody reads this");
      second.get(page).assertHit().assertHas(FOR_NOBODY);
      assertEquals(List.of(), second.cookieNames());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLoggedInReaderHasPagesOfHisOwn(SiteEdges.Kind kind) throws Exception {
    String page = "/wiki/Own_" + kind;
    try (Visitor user = new Visitor(edges.get(kind));
        Visitor anonymous = new Visitor(edges.get(kind))) {
      edit(user, logIn(user), page, "who reads this?");
      // Before an anonymous reader, when nothing is known of the page, and after.
      user.get(page).assertOk().assertOwn().assertHas(FOR_USER);
      anonymous.get(page).assertOk().assertStored().assertHas(FOR_NOBODY).assertHasNot(FOR_USER);
      user.get(page).assertOk().assertOwn().assertHas(FOR_USER);
      user.get(page).assertOk().assertOwn().assertHas(FOR_USER);
      anonymous.get(page).assertOk().assertHit().assertHas(FOR_NOBODY).assertHasNot(FOR_USER);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoLoggedOutSharesNothingOfWhatHeSaw(SiteEdges.Kind kind) throws Exception {
    String page = "/wiki/Left_" + kind;
    try (Visitor user = new Visitor(edges.get(kind));
        Visitor anonymous = new Visitor(edges.get(kind))) {
      String token = logIn(user);
      edit(user, token, page, "read before and after");
      anonymous.get(page).assertStored();
      user.get(page).assertOwn().assertHas(FOR_USER);
      user.post("/w/api.php", Map.of("action", "logout", "format", "json", "token", token))
          .assertOk();
      user.get(page).assertOk().assertHas(FOR_NOBODY).assertHasNot(FOR_USER);
      anonymous.get(page).assertHit().assertHas(FOR_NOBODY);
    }
  }

  /** The page that is not there is stored as well, until it is written. */
  @ParameterizedTest
  @EnumSource
  void anEditIsSeenByTheNextAnonymousReader(SiteEdges.Kind kind) throws Exception {
    String page = "/wiki/Edited_" + kind;
    try (Visitor user = new Visitor(edges.get(kind));
        Visitor anonymous = new Visitor(edges.get(kind))) {
      String token = logIn(user);
      assertEquals(404, anonymous.get(page).assertStored().status());
      assertEquals(404, anonymous.get(page).assertHit().status());
      for (int i = 1; i <= 3; i++) {
        String text = "text number " + i;
        edit(user, token, page, text);
        SiteEdges.assertSeenWithinASecond(anonymous, page, text);
        SiteEdges.awaitHit(anonymous, page).assertHas(text).assertHas(FOR_NOBODY);
        SiteEdges.assertSeenWithinASecond(anonymous, history(page), "number " + i);
        SiteEdges.awaitHit(anonymous, history(page));
      }
      double purges =
          edges.get(kind).metrics().sum("forebay_purge_requests_total", "result=\"done\"");
      assertTrue(purges >= 3, () -> purges + " purges");
    }
  }

  @Test
  void anEditOfATemplateIsSeenOnThePagesThatUseIt() throws Exception {
    try (Visitor user = new Visitor(edges.get(SiteEdges.Kind.EXAMPLE));
        Visitor anonymous = new Visitor(edges.get(SiteEdges.Kind.EXAMPLE))) {
      String token = logIn(user);
      edit(user, token, "/wiki/Template:Used", "old words");
      edit(user, token, "/wiki/Uses_a_template", "there are {{Used}}");
      anonymous.get("/wiki/Uses_a_template").assertStored().assertHas("there are old words");
      anonymous.get("/wiki/Uses_a_template").assertHit();
      // MediaWiki compares times in seconds: what it changes within one is not newer to it.
      long second = System.currentTimeMillis() / 1_000;
      Await.until("the next second", () -> System.currentTimeMillis() / 1_000 > second);
      edit(user, token, "/wiki/Template:Used", "new words");
      wiki.runJobs();
      SiteEdges.assertSeenWithinASecond(anonymous, "/wiki/Uses_a_template", "there are new words");
    }
  }

  /**
   * Cookies of scripts cost a reader the shared page, unless the edge knows which cookies count.
   */
  @Test
  void cookiesThatMediaWikiDoesNotKnowNeedTheExample() throws Exception {
    for (SiteEdges.Kind kind : SiteEdges.Kind.values()) {
      String page = "/wiki/Main_Page";
      try (Visitor anonymous = new Visitor(edges.get(kind));
          Visitor measured = new Visitor(edges.get(kind)).with("_ga", "GA1.1.17")) {
        anonymous.get(page).assertOk();
        anonymous.get(page).assertHit();
        Page seen = measured.get(page + "?utm_source=mail").assertOk().assertHas(FOR_NOBODY);
        assertEquals(kind == SiteEdges.Kind.EXAMPLE, seen.isHit(), seen::toString);
      }
    }
  }

  @Test
  void stylesAreSharedWithUsers() throws Exception {
    String styles = "/w/load.php?lang=en&modules=skins.vector.styles.legacy&only=styles";
    try (Visitor user = new Visitor(edges.get(SiteEdges.Kind.EXAMPLE));
        Visitor anonymous = new Visitor(edges.get(SiteEdges.Kind.EXAMPLE))) {
      logIn(user);
      anonymous.get(styles).assertOk().assertStored();
      user.get(styles).assertOk().assertHit();
    }
  }

  /** Logs in as a client of the API does; the token for what it changes. */
  private static String logIn(Visitor user) throws Exception {
    String loginToken = token(user, "login");
    JsonNode login =
        call(
            user,
            Map.of(
                "action",
                "login",
                "lgname",
                MediaWikiOrigin.USER,
                "lgpassword",
                MediaWikiOrigin.PASSWORD,
                "lgtoken",
                loginToken));
    assertEquals("Success", login.path("login").path("result").asString(""), login::toString);
    assertTrue(user.cookieNames().contains("wikidb_session"), () -> user.cookieNames().toString());
    return token(user, "csrf");
  }

  private static String token(Visitor user, String type) throws Exception {
    Page page =
        user.get("/w/api.php?action=query&meta=tokens&format=json&type=" + type)
            .assertOk()
            .assertOwn();
    return Admin.json(page.text()).path("query").path("tokens").path(type + "token").asString("");
  }

  private static void edit(Visitor user, String token, String page, String text) throws Exception {
    JsonNode edit =
        call(
            user,
            Map.of(
                "action", "edit",
                "title", title(page),
                "text", text,
                "summary", text,
                "token", token));
    assertEquals("Success", edit.path("edit").path("result").asString(""), edit::toString);
  }

  private static JsonNode call(Visitor user, Map<String, String> parameters) throws Exception {
    Map<String, String> form = new HashMap<>(parameters);
    form.put("format", "json");
    return Admin.json(user.post("/w/api.php", form).assertOk().text());
  }

  private static String title(String page) {
    return page.substring("/wiki/".length());
  }

  private static String history(String page) {
    return "/w/index.php?title=" + title(page) + "&action=history";
  }
}
