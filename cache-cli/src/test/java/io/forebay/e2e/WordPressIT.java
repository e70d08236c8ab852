package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.e2e.Visitor.Page;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Ports;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * WordPress behind an edge with {@code examples/wordpress.yaml}, which it purges as purge plugins
 * do. It gives pages no lifetime, so nothing is stored by an edge that knows nothing of it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
final class WordPressIT {
  /** In every page for a user who is logged in, and in no other. */
  private static final String FOR_USER = "id=\"wpadminbar\"";

  @TempDir static Path directory;

  private SiteEdges edges;
  private WordPressOrigin site;

  @BeforeAll
  void start() throws Exception {
    Tools.requireWordPress();
    int port = Ports.free();
    edges = SiteEdges.start(directory, "wordpress.yaml", port);
    site = WordPressOrigin.start(directory.resolve("site"), port, edges.all());
  }

  @AfterAll
  void stop() {
    Tools.close(edges, site);
  }

  private EdgeProcess edge() {
    return edges.get(SiteEdges.Kind.EXAMPLE);
  }

  @Test
  void anonymousVisitorsShareAPage() throws Exception {
    try (Visitor user = new Visitor(edge());
        Visitor first = new Visitor(edge());
        Visitor second = new Visitor(edge()).with("_ga", "GA1.1.17")) {
      String page = write(user, logIn(user), "shared", "everybody reads this");
      first.get(page).assertOk().assertStored().assertHas("everybody reads this");
      second.get(page + "?utm_source=mail").assertOk().assertHit().assertHasNot(FOR_USER);
      assertEquals(List.of("_ga"), second.cookieNames());
    }
  }

  @Test
  void aUserHasPagesOfHisOwn() throws Exception {
    try (Visitor user = new Visitor(edge());
        Visitor anonymous = new Visitor(edge())) {
      String page = write(user, logIn(user), "own", "who reads this?");
      // Before an anonymous visitor, when nothing is known of the page, and after.
      user.get(page).assertOk().assertHas(FOR_USER);
      anonymous.get(page).assertOk().assertStored().assertHasNot(FOR_USER);
      user.get(page).assertOk().assertHas(FOR_USER);
      Page again = user.get(page).assertOk().assertHas(FOR_USER);
      assertTrue(!again.isHit(), again::toString);
      anonymous.get(page).assertOk().assertHit().assertHasNot(FOR_USER);
      user.get("/wp-admin/").assertOk().assertOwn().assertHas(FOR_USER);
      assertEquals(302, anonymous.get("/wp-admin/").status());
    }
  }

  @Test
  void anEditIsSeenByTheNextAnonymousReader() throws Exception {
    try (Visitor user = new Visitor(edge());
        Visitor anonymous = new Visitor(edge())) {
      String nonce = logIn(user);
      anonymous.get("/").assertOk().assertHasNot("edited-title");
      anonymous.get("/").assertHit();
      String page = write(user, nonce, "edited-title", "text number 0");
      SiteEdges.assertSeenWithinASecond(anonymous, "/", "edited-title");
      for (int i = 1; i <= 3; i++) {
        anonymous.get(page).assertOk();
        anonymous.get(page).assertHit();
        String text = "text number " + i;
        Page changed =
            user.post(
                "/wp-json/wp/v2/posts/" + id(user, nonce, "edited-title"),
                Map.of("_wpnonce", nonce, "content", text));
        assertEquals(200, changed.status(), changed::toString);
        SiteEdges.assertSeenWithinASecond(anonymous, page, text);
        anonymous.get(page).assertHit().assertHas(text).assertHasNot(FOR_USER);
      }
      double purges = edge().metrics().sum("forebay_purge_requests_total", "result=\"done\"");
      assertTrue(purges >= 4, () -> purges + " purges");
    }
  }

  /** Logs in as a person does; the token that the site's own scripts use then. */
  private static String logIn(Visitor user) throws Exception {
    user.get("/wp-login.php").assertOk().assertOwn();
    Page answer =
        user.post(
            "/wp-login.php",
            Map.of(
                "log",
                WordPressOrigin.USER,
                "pwd",
                WordPressOrigin.PASSWORD,
                "testcookie",
                "1",
                "redirect_to",
                "/wp-admin/"));
    assertEquals(302, answer.status(), answer::toString);
    assertTrue(
        user.cookieNames().stream().anyMatch(name -> name.startsWith("wordpress_logged_in_")),
        () -> user.cookieNames().toString());
    return user.get("/wp-admin/admin-ajax.php?action=rest-nonce").assertOk().text().strip();
  }

  /** Publishes a post; where it is. */
  private static String write(Visitor user, String nonce, String slug, String text)
      throws Exception {
    Page answer =
        user.post(
            "/wp-json/wp/v2/posts",
            Map.of(
                "_wpnonce",
                nonce,
                "title",
                slug,
                "slug",
                slug,
                "content",
                text,
                "status",
                "publish"));
    assertEquals(201, answer.status(), answer::toString);
    return "/" + slug + "/";
  }

  private static String id(Visitor user, String nonce, String slug) throws Exception {
    Page posts =
        user.get("/wp-json/wp/v2/posts?slug=" + slug + "&_fields=id&_wpnonce=" + nonce).assertOk();
    return posts.text().replaceAll("\\D", "");
  }
}
