package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** nginx with only {@code gzip on} does not compress responses to requests with Via. */
@Tag("full")
final class CompressingOriginIT {
  @TempDir Path directory;

  @Test
  void nginxCompressesWhereTheRouteSendsNoVia() throws Exception {
    Path page = directory.resolve("nginx/www/page.html");
    Files.createDirectories(page.getParent());
    Files.writeString(page, "<p>compress me</p>\n".repeat(500));
    Files.copy(page, page.resolveSibling("other.html"));
    try (NginxOrigin origin =
            NginxOrigin.start(
                directory.resolve("nginx"),
                "gzip on; types { text/html html; }"
                    + " add_header Cache-Control 'public, max-age=3600';");
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .config(
                    "compress: off\n"
                        + "routes:\n"
                        + "  - {name: plain, match: {path: /other.html}}\n"
                        + "  - {name: quiet, via: off}\n")
                .start()) {
      Curl.Result with =
          Curl.get(edge.url("/other.html"), "-H", "Accept-Encoding: gzip, br", "--raw");
      assertEquals(200, with.status());
      assertEquals("", with.field("content-encoding"));
      assertEquals(9500, with.length());
      Commands.Finished told =
          Jar.quick()
              .run(
                  "explain",
                  "--admin-url",
                  edge.adminUrl(),
                  "-H",
                  "Accept-Encoding: gzip",
                  edge.url("/other.html"))
              .orFail();
      assertTrue(told.err().contains("via: off on the route plain"), told.err());
      for (int i = 0; i < 2; i++) {
        Curl.Result without =
            Curl.get(edge.url("/page.html"), "-H", "Accept-Encoding: gzip, br", "--raw");
        assertEquals(200, without.status());
        assertEquals("gzip", without.field("content-encoding"));
        assertTrue(without.length() < 1000, String.valueOf(without.length()));
        assertEquals(i == 1, without.field("cache-status").contains("; hit"));
      }
      Curl.Result identity = Curl.get(edge.url("/page.html"), "-H", "Accept-Encoding: identity");
      assertEquals(9500, identity.length());
      origin.assertRequests(2, "/page.html");
    }
  }
}
