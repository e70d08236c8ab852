package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Certificates;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real nginx as origin over HTTP/2: negotiated over TLS, and by prior knowledge without. */
@Tag("full")
final class NginxHttp2IT {
  private static final int SIZE = 3_000_000;
  private static final int CLIENTS = 4;
  private static final int FILES = 20;

  /** More requests than nginx takes on one connection, so that it says goodbye meanwhile. */
  private static final int REQUESTS_PER_CONNECTION = 7;

  @TempDir private Path directory;

  @Test
  void everyByteComesWithoutTls() throws Exception {
    int http2 = Ports.free();
    fetchAll(
        "listen 127.0.0.1:" + http2 + " http2;",
        "{url: \"http://127.0.0.1:" + http2 + "\", protocol: http2}");
  }

  @Test
  void everyByteComesOverTls() throws Exception {
    Certificates certificates = Certificates.in(directory);
    certificates.issue("chain", builder -> builder.ecp256().subject("CN=127.0.0.1"), "127.0.0.1");
    int http2 = Ports.free();
    fetchAll(
        "listen 127.0.0.1:%d ssl http2; ssl_certificate %s/chain.pem; ssl_certificate_key %s/chain.key;"
            .formatted(http2, directory, directory),
        "{url: \"https://127.0.0.1:%d\", protocol: auto, trust: \"%s\"}"
            .formatted(http2, certificates.authorityPem()));
  }

  private void fetchAll(String listen, String origin) throws Exception {
    try (NginxOrigin nginx =
        NginxOrigin.start(
            directory.resolve("nginx"),
            listen
                + " keepalive_requests "
                + REQUESTS_PER_CONNECTION
                + "; add_header X-Protocol $server_protocol;"
                + " add_header Cache-Control no-store;"
                + " client_max_body_size 10m; location /sink { return 200 taken; }")) {
      Path www = directory.resolve("nginx").resolve("www");
      byte[][] contents = new byte[FILES][];
      for (int i = 0; i < FILES; i++) {
        contents[i] = new byte[i == 0 ? SIZE : i * 1000];
        new Random(i).nextBytes(contents[i]);
        Files.write(www.resolve("file" + i), contents[i]);
      }
      try (EdgeProcess edge =
          EdgeProcess.in(directory.resolve("edge"))
              .config("origins: {main: " + origin + "}\nroutes: [{origin: main}]\n")
              .start()) {
        Thread[] clients = new Thread[CLIENTS];
        Throwable[] failures = new Throwable[CLIENTS];
        for (int c = 0; c < CLIENTS; c++) {
          int number = c;
          clients[c] =
              Thread.ofVirtual()
                  .start(() -> {
                    try (RawClient client = new RawClient(edge.port())) {
                      for (int i = 0; i < FILES; i++) {
                        int file = (i + number) % FILES;
                        RawClient.Response response = client.get("/file" + file);
                        assertEquals(200, response.status());
                        assertEquals("HTTP/2.0", response.field("x-protocol"));
                        assertArrayEquals(contents[file], response.body());
                      }
                      client.request("POST", "/sink", contents[0]);
                      assertEquals("taken", client.reply().text());
                    } catch (Throwable failed) {
                      failures[number] = failed;
                    }
                  });
        }
        for (int c = 0; c < CLIENTS; c++) {
          clients[c].join();
          if (failures[c] != null) {
            throw new AssertionError("client " + c, failures[c]);
          }
        }
      }
    }
  }
}
