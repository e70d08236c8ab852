package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** S26: who may purge, and through which interface. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AdminIT {
  @TempDir static Path directory;

  private PathOrigin origin;
  private EdgeProcess edge;

  @BeforeAll
  void start() throws Exception {
    origin = PathOrigin.start();
    edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start();
    origin.cacheable("/kept", "kept");
    edge.get("/kept");
  }

  @AfterAll
  void stop() throws Exception {
    Tools.close(edge, origin);
  }

  private void assertKept() throws IOException {
    assertTrue(edge.get("/kept").isFromCache());
    assertEquals(1, origin.count("/kept"));
  }

  @Test
  void theDataPortTakesNoOrders() throws Exception {
    for (String method : List.of("PURGE", "BAN", "REFRESH", "INVALIDATE", "PURGEALL")) {
      Response response = RawClient.request(edge.port(), method, "/kept", "");
      assertEquals(405, response.status(), method);
    }
    Response api = RawClient.request(edge.port(), "POST", "/v1/purge", "{\"everything\":true}");
    assertEquals(404, api.status(), "that is the origin's answer");
    assertEquals(404, RawClient.get(edge.port(), "/metrics").status());
    assertKept();
  }

  /** A page in the operator's browser must not reach it, by form, script or a name of its own. */
  @Test
  void pagesInABrowserGetNothing() throws Exception {
    String body = "{\"everything\":true}";
    for (String field :
        List.of(
            "Host: evil.test",
            "Host: evil.test:" + edge.adminPort(),
            "Host: 127.0.0.1.evil.test")) {
      int status = RawClient.request(edge.adminPort(), "POST", "/v1/purge", body, field).status();
      assertTrue(status == 403 || status == 421 || status == 400, field + ": " + status);
      int read = RawClient.get(edge.adminPort(), "/v1/stats", field).status();
      assertTrue(read == 403 || read == 421 || read == 400, field + ": " + read);
    }
    for (String field : List.of("Origin: http://evil.test", "Origin: null")) {
      int status =
          RawClient.request(
                  edge.adminPort(),
                  "POST",
                  "/v1/purge",
                  body,
                  field,
                  "Content-Type: application/json")
              .status();
      assertEquals(403, status, field);
    }
    assertKept();
  }

  @Test
  void bodiesAreBounded() throws Exception {
    String large = "{\"urls\":[\"" + "x".repeat(2 << 20) + "\"]}";
    Response response;
    try (RawClient client = new RawClient(edge.adminPort())) {
      client.send(
          "POST /v1/purge HTTP/1.1\r\nHost: 127.0.0.1:"
              + edge.adminPort()
              + "\r\nContent-Type: application/json\r\nContent-Length: "
              + large.length()
              + "\r\n\r\n"
              + large);
      response = client.reply(false);
    }
    assertEquals(413, response.status(), response::toString);
    assertKept();
  }

  @Test
  void onlyWhatIsThereIsThere() throws Exception {
    assertEquals(404, edge.admin("/v1/nothing").statusCode());
    assertEquals(404, edge.admin("/..%2f..%2fetc/passwd").statusCode());
    assertEquals(405, edge.admin("/v1/purge").statusCode());
    assertEquals(200, edge.admin("/healthz").statusCode());
    assertEquals(200, edge.admin("/readyz").statusCode());
  }

  @Test
  void aTokenIsAskedForWhereThereIsOne() throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "correct-horse-battery-staple\n");
    EdgeProcess.Settings settings = EdgeProcess.in(directory.resolve("token-edge"), origin.url());
    settings.config("admin:\n  token-file: " + token + "\n");
    try (EdgeProcess guarded = settings.startUnready()) {
      String host = "Host: 127.0.0.1:" + guarded.adminPort();
      for (String path : List.of("/v1/stats", "/v1/config", "/metrics")) {
        assertEquals(401, RawClient.get(guarded.adminPort(), path, host).status(), path);
        assertEquals(
            401,
            RawClient.get(guarded.adminPort(), path, host, "Authorization: Bearer wrong").status(),
            path);
        assertEquals(
            200,
            RawClient.get(
                    guarded.adminPort(),
                    path,
                    host,
                    "Authorization: Bearer correct-horse-battery-staple")
                .status(),
            path);
      }
      Response config =
          RawClient.get(
              guarded.adminPort(),
              "/v1/config",
              host,
              "Authorization: Bearer correct-horse-battery-staple");
      assertFalse(config.text().contains("correct-horse"), "the token is not told");
      Commands.Finished refused =
          Jar.quick().run("purge", "--admin-url", guarded.adminUrl(), "--all");
      assertEquals(1, refused.exit(), refused::toString);
      Jar.quick()
          .run(
              "purge", "--admin-url", guarded.adminUrl(), "--token-file", token.toString(), "--all")
          .orFail();
    }
  }
}
