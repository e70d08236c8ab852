package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.EdgeProcess;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real nginx decides who may have files of another one. */
@Tag("full")
final class ForwardAuthIT {
  @TempDir private Path directory;

  @Test
  void nginxDecidesOnceForEachSession() throws Exception {
    try (NginxOrigin site = NginxOrigin.start(directory.resolve("site"));
        NginxOrigin auth =
            NginxOrigin.start(
                directory.resolve("auth"),
                """
                location = /verify {
                  set $admitted 0;
                  if ($cookie_session ~ "^good") { set $admitted 1; }
                  if ($http_x_forwarded_uri ~ "^/secret") { set $admitted 2; }
                  if ($admitted = 0) { return 302 https://login.example/; }
                  if ($admitted = 2) { return 403; }
                  return 204;
                }
                """)) {
      Path www = directory.resolve("site").resolve("www");
      Files.writeString(www.resolve("page"), "page");
      Files.writeString(www.resolve("secret"), "secret");
      try (EdgeProcess edge =
          EdgeProcess.in(directory.resolve("edge"))
              .config(
                  """
                  origins: {site: {url: "SITE"}, auth: {url: "AUTH"}}
                  protection:
                    p:
                      forward-auth:
                        origin: auth
                        path: /verify
                        cache-by: [cookie session, path]
                        pass-redirects: true
                  routes: [{origin: site, protection: p}]
                  """
                      .replace("SITE", site.url())
                      .replace("AUTH", auth.url()))
              .start()) {
        try (RawClient client = new RawClient(edge.port())) {
          Response login = client.get("/page");
          assertEquals(302, login.status());
          assertEquals("https://login.example/", login.field("location"));
          for (int i = 0; i < 5; i++) {
            Response page = client.get("/page", "Cookie: session=good1");
            assertEquals(200, page.status());
            assertEquals("page", page.text());
          }
          assertTrue(client.get("/page", "Cookie: session=good2").isHit());
          assertEquals(403, client.get("/secret", "Cookie: session=good1").status());
        }
        auth.assertRequests(4, "/verify");
        site.assertRequests(1, "/page");
        site.assertRequests(0, "/secret");
      }
    }
  }
}
