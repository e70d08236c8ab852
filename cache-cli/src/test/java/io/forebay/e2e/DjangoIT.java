package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.e2e.Visitor.Page;
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

/**
 * Django with sessions behind two edges, which a hook of the site purges: one knows nothing of it
 * but {@code Vary: Cookie}, the other has {@code examples/django.yaml}. The views say {@code
 * s-maxage} to everybody, so nothing but the cookies keeps a user's page from being shared.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
final class DjangoIT {
  private static final String FOR_USER = "you are " + DjangoOrigin.USER;
  private static final String FOR_NOBODY = "you are nobody";

  @TempDir static Path directory;

  private SiteEdges edges;
  private DjangoOrigin site;

  @BeforeAll
  void start() throws Exception {
    Tools.requireDjango();
    int port = Ports.free();
    edges = SiteEdges.start(directory, "django.yaml", port);
    site = DjangoOrigin.start(directory.resolve("site"), port, edges.all());
  }

  @AfterAll
  void stop() {
    Tools.close(edges, site);
  }

  @ParameterizedTest
  @EnumSource
  void anonymousVisitorsShareAPage(SiteEdges.Kind kind) throws Exception {
    try (Visitor user = new Visitor(edges.get(kind));
        Visitor first = new Visitor(edges.get(kind));
        Visitor second = new Visitor(edges.get(kind))) {
      logIn(user);
      String page = create(user, "shared-" + kind, "everybody reads this");
      first.get(page).assertOk().assertStored().assertHas("everybody reads this");
      second.get(page).assertOk().assertHit().assertHas("everybody reads this");
      second.get(page).assertHit().assertHas(FOR_NOBODY);
      assertEquals(List.of(), second.cookieNames());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aUserHasPagesOfHisOwn(SiteEdges.Kind kind) throws Exception {
    try (Visitor user = new Visitor(edges.get(kind));
        Visitor anonymous = new Visitor(edges.get(kind))) {
      logIn(user);
      String page = create(user, "own-" + kind, "who reads this?");
      // Before an anonymous visitor, when nothing is known of the page, and after.
      user.get(page).assertOk().assertOwn().assertHas(FOR_USER);
      anonymous.get(page).assertOk().assertStored().assertHas(FOR_NOBODY).assertHasNot(FOR_USER);
      user.get(page).assertOk().assertOwn().assertHas(FOR_USER);
      user.get(page).assertOk().assertOwn().assertHas(FOR_USER);
      anonymous.get(page).assertOk().assertHit().assertHas(FOR_NOBODY).assertHasNot(FOR_USER);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSessionIsOfOneVisitor(SiteEdges.Kind kind) throws Exception {
    try (Visitor one = new Visitor(edges.get(kind));
        Visitor other = new Visitor(edges.get(kind))) {
      for (int i = 1; i <= 3; i++) {
        one.get("/visits/").assertOk().assertOwn().assertHas("visit " + i);
      }
      other.get("/visits/").assertOk().assertOwn().assertHas("visit 1");
      assertNotEquals(one.cookie("sessionid"), other.cookie("sessionid"));
      one.get("/visits/").assertOk().assertOwn().assertHas("visit 4");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTokenForAFormIsOfOneVisitor(SiteEdges.Kind kind) throws Exception {
    try (Visitor one = new Visitor(edges.get(kind));
        Visitor other = new Visitor(edges.get(kind))) {
      Page form = one.get("/form/").assertOk().assertOwn();
      Page otherForm = other.get("/form/").assertOk().assertOwn();
      assertNotEquals(one.cookie("csrftoken"), other.cookie("csrftoken"));
      one.post("/form/", Map.of("csrfmiddlewaretoken", form.text())).assertOk().assertHas("taken");
      assertEquals(
          403, one.post("/form/", Map.of("csrfmiddlewaretoken", otherForm.text())).status());
      String token = one.cookie("csrftoken");
      one.get("/form/").assertOk().assertOwn();
      assertEquals(token, one.cookie("csrftoken"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSavedModelIsSeenByTheNextAnonymousVisitor(SiteEdges.Kind kind) throws Exception {
    try (Visitor user = new Visitor(edges.get(kind));
        Visitor anonymous = new Visitor(edges.get(kind))) {
      logIn(user);
      String slug = "edited-" + kind;
      anonymous.get("/").assertOk().assertHasNot(slug);
      anonymous.get("/").assertHit();
      String page = create(user, slug, "text number 0");
      SiteEdges.assertSeenWithinASecond(anonymous, "/", slug);
      for (int i = 1; i <= 3; i++) {
        anonymous.get(page).assertOk();
        anonymous.get(page).assertHit();
        String text = "text number " + i;
        change(user, slug, text);
        SiteEdges.assertSeenWithinASecond(anonymous, page, text);
        anonymous.get(page).assertHit().assertHas(text).assertHas(FOR_NOBODY);
      }
      double purges =
          edges.get(kind).metrics().sum("forebay_purge_requests_total", "result=\"done\"");
      assertTrue(purges >= 4, () -> purges + " purges");
    }
  }

  /** Cookies of scripts cost a visitor the shared page, unless the edge knows which ones count. */
  @Test
  void cookiesThatDjangoDoesNotKnowNeedTheExample() throws Exception {
    try (Visitor user = new Visitor(edges.get(SiteEdges.Kind.EXAMPLE))) {
      logIn(user);
      String page = create(user, "measured", "counted by a script");
      for (SiteEdges.Kind kind : SiteEdges.Kind.values()) {
        try (Visitor anonymous = new Visitor(edges.get(kind));
            Visitor measured = new Visitor(edges.get(kind)).with("_ga", "GA1.1.17")) {
          anonymous.get(page).assertOk().assertStored();
          Page seen = measured.get(page + "?utm_source=mail").assertOk().assertHas(FOR_NOBODY);
          assertEquals(kind == SiteEdges.Kind.EXAMPLE, seen.isHit(), seen::toString);
        }
      }
    }
  }

  /** Logs in as a person does, with Django's form. */
  private static void logIn(Visitor user) throws Exception {
    String login = "/admin/login/?next=/";
    user.get(login).assertOk().assertOwn();
    post(user, login, Map.of("username", DjangoOrigin.USER, "password", DjangoOrigin.PASSWORD));
    assertTrue(user.cookieNames().contains("sessionid"), () -> user.cookieNames().toString());
  }

  /** Writes an article in the admin; where it is. */
  private static String create(Visitor user, String slug, String text) throws Exception {
    post(user, "/admin/news/article/add/", Map.of("slug", slug, "text", text));
    return "/news/" + slug + "/";
  }

  private static void change(Visitor user, String slug, String text) throws Exception {
    post(user, "/admin/news/article/" + slug + "/change/", Map.of("slug", slug, "text", text));
  }

  /** Sends a form, which Django answers with a redirect where it took it. */
  private static void post(Visitor user, String target, Map<String, String> fields)
      throws Exception {
    Map<String, String> form = new HashMap<>(fields);
    form.put("csrfmiddlewaretoken", user.cookie("csrftoken"));
    Page answer = user.post(target, form);
    assertEquals(302, answer.status(), answer::toString);
  }
}
