package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Certificates;
import io.forebay.testing.OpensslClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS session resumption, and for which hosts a session must not be used (S10). */
@Timeout(180)
@Tag("full")
final class ServerTlsSessionTest {
  @TempDir Path directory;
  @TempDir Path second;
  @TempDir Path pki;
  private final TestOrigin origin = new TestOrigin();
  private Certificates files;
  private Path ticketFile;
  private Path session;
  private String yaml;

  @BeforeEach
  void make() throws Exception {
    files = Certificates.in(pki);
    files.ecdsa("open", "open.example");
    files.ecdsa("closed", "closed.example");
    files.ecdsa("asking", "asking.example");
    files.client("alice");
    origin.on("/s", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("stored")));
    ticketFile = pki.resolve("tickets");
    session = pki.resolve("session");
    yaml =
        Edge.origins(origin.url())
            + "certificates:\n  open: {"
            + files.entry("open")
            + "}\n  closed: {"
            + files.entry("closed")
            + ", client-auth: required, client-ca: \""
            + files.authorityPem()
            + "\"}\n  asking: {"
            + files.entry("asking")
            + ", client-auth: optional, client-ca: \""
            + files.authorityPem()
            + "\"}\n";
  }

  @AfterEach
  void stop() throws Exception {
    origin.close();
  }

  private void keys(int... seeds) throws Exception {
    StringBuilder text = new StringBuilder("# the first encrypts\n");
    for (int seed : seeds) {
      byte[] key = new byte[48];
      new SplittableRandom(seed).nextBytes(key);
      text.append(Base64.getEncoder().encodeToString(key)).append('\n');
    }
    Files.writeString(ticketFile, text.toString());
  }

  private String withFile() {
    return yaml + "tls: {ticket-file: \"" + ticketFile + "\"}\n";
  }

  private String first(Edge edge, String name, String version, String... more) throws Exception {
    return run(edge, name, version, "-sess_out", more);
  }

  private String again(Edge edge, String name, String version, String... more) throws Exception {
    return run(edge, name, version, "-sess_in", more);
  }

  private String run(Edge edge, String name, String version, String which, String... more)
      throws Exception {
    String[] all = new String[more.length + 5];
    all[0] = "-servername";
    all[1] = name;
    all[2] = version;
    all[3] = which;
    all[4] = session.toString();
    System.arraycopy(more, 0, all, 5, more.length);
    return OpensslClient.run(edge.tlsPort(), all);
  }

  private String[] alice() {
    return new String[] {
      "-cert", files.pem("alice").toString(), "-key", files.key("alice").toString()
    };
  }

  private static boolean isReused(String said) {
    return said.contains("Reused, TLSv1.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-tls1_2", "-tls1_3"})
  void aSessionGoesOnWhicheverLoopAnswers(String version) throws Exception {
    try (Edge edge = Edge.start(directory, "32MiB", yaml)) {
      assertFalse(isReused(first(edge, "open.example", version)));
      int tries = 0;
      do {
        String said = again(edge, "open.example", version);
        assertTrue(isReused(said), said);
      } while (++tries < 40
          && edge.server().counters().stream().anyMatch(loop -> loop.tlsResumed == 0));
      assertTrue(
          edge.server().counters().stream().allMatch(loop -> loop.tlsResumed > 0),
          "both loops have resumed it");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-tls1_2", "-tls1_3"})
  void nodesWithOneTicketFileGoOnWithEachOthersSessions(String version) throws Exception {
    keys(1);
    try (Edge edge = Edge.start(directory, "32MiB", withFile())) {
      String said = first(edge, "open.example", version);
      assertFalse(isReused(said), said);
    }
    try (Edge other = Edge.start(second, "32MiB", withFile())) {
      String said = again(other, "open.example", version);
      assertTrue(isReused(said), said);
    }
  }

  @Test
  void keysAreReplacedInTurnAndTheLastIsForgotten() throws Exception {
    keys(1);
    try (Edge edge = Edge.start(directory, "32MiB", withFile())) {
      assertFalse(isReused(first(edge, "open.example", "-tls1_2")));
      keys(2, 1);
      assertEquals(0, edge.server().reload().errors().size());
      assertTrue(isReused(again(edge, "open.example", "-tls1_2")), "the old key still opens");
      keys(3, 2);
      assertEquals(0, edge.server().reload().errors().size());
      assertFalse(isReused(again(edge, "open.example", "-tls1_2")), "and is gone now");
      Files.writeString(ticketFile, "short\n");
      assertFalse(edge.server().reload().errors().isEmpty());
    }
  }

  @Test
  void withoutTicketsEveryHandshakeIsWhole() throws Exception {
    try (Edge edge = Edge.start(directory, "32MiB", yaml + "tls: {tickets: false}\n")) {
      for (String version : new String[] {"-tls1_2", "-tls1_3"}) {
        Files.deleteIfExists(session);
        String said = first(edge, "open.example", version);
        assertFalse(said.contains("TLS session ticket:"), said);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-tls1_2", "-tls1_3"})
  void s10ATicketOfOneHostIsNoneOfAnother(String version) throws Exception {
    try (Edge edge = Edge.start(directory, "32MiB", yaml)) {
      String opened = first(edge, "open.example", version);
      assertTrue(opened.contains("stored"), opened);
      // The closed host goes through a whole handshake, and asks for what the other did not.
      String said = again(edge, "closed.example", version);
      assertFalse(isReused(said), said);
      assertFalse(said.contains("stored"), said);
      assertTrue(said.contains("alert"), said);
      // Who has shown a certificate here has not shown it there.
      Files.deleteIfExists(session);
      said = first(edge, "asking.example", version, alice());
      assertTrue(Files.exists(session), said);
      said = again(edge, "closed.example", version);
      assertFalse(isReused(said), said);
      assertTrue(said.contains("alert"), said);
      assertTrue(isReused(again(edge, "asking.example", version)), "where it came from it is good");
    }
  }
}
