package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fingerprints of handshakes in rules and in the access log. */
@Timeout(240)
@Tag("slow")
final class ServerJa4Test {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private @Nullable Edge edge;

  private void start(String tls, String rule) throws IOException {
    origin.on("/a", TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("a")));
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url())
                + "http3: {listeners: [secure]}\n"
                + tls
                + "access-log: {output: \""
                + log()
                + "\"}\n"
                + "routes:\n  - rules:\n      - "
                + rule
                + "\n");
  }

  private Path log() {
    return directory.resolve("access.log");
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private String log(int lines) {
    Await.until("all is logged", () -> Files.readString(log()).lines().count() >= lines);
    try {
      return Files.readString(log());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"TLS,t1", "HTTP/2,t1", "plain,", "HTTP/3,"})
  void aRuleAsksForTheFingerprint(String protocol, @Nullable String begin) throws Exception {
    start(
        "tls: {ja4: true}\n",
        "{when: {ja4: 't1*'}, response-headers: {set: {x-fingerprint: \"yes\"}}}");
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int i = 0; i < 3; i++) {
        Answer answer = client.ask("GET", "/a");
        assertEquals(200, answer.status());
        assertEquals(begin == null ? List.of() : List.of("yes"), answer.all("x-fingerprint"));
      }
    }
    String logged = log(3);
    assertEquals(begin != null, logged.contains("\"ja4\":\"t1"), logged);
    if (begin != null) {
      assertTrue(
          logged.matches("(?s).*\"ja4\":\"t1[23][di][0-9]{4}.{2}_[0-9a-f]{12}_[0-9a-f]{12}\".*"),
          logged);
    }
  }

  @Test
  void withoutTheSettingThereIsNone() throws Exception {
    start("", "{response-headers: {set: {x-a: b}}}");
    try (ProtocolClient client = ProtocolClient.connect(edge(), "TLS")) {
      assertEquals(200, client.ask("GET", "/a").status());
    }
    assertFalse(log(1).contains("ja4"));
  }
}
