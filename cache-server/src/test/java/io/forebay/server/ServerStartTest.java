package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigSource;
import io.forebay.testing.Certificates;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that fails reports this before it creates anything. */
@Tag("slow")
final class ServerStartTest {

  @TempDir Path directory;
  private Certificates certificates;
  private Map<String, String> options;

  @BeforeEach
  void configure() throws Exception {
    certificates = Certificates.in(directory);
    X509Bundle ignored = certificates.ecdsa("node", "127.0.0.1");
    options =
        new HashMap<>(
            Map.of(
                "origin", "http://127.0.0.1:9",
                "listen", "127.0.0.1:0",
                "admin.address", "127.0.0.1:0",
                "store.data", directory.resolve("data").toString(),
                "store.memory", "32MiB",
                "store.memory-directory", directory.resolve("memory").toString(),
                "threads.loops", "1",
                "threads.pin", "off"));
  }

  private StartException refused() {
    ConfigLoader loader = new ConfigLoader(ConfigEnvironment.system());
    StartException refused =
        assertThrows(
            StartException.class,
            () -> Server.start(ConfigSource.of(loader, null, options), "test"));
    assertFalse(Files.exists(directory.resolve("data")), "a store was opened");
    assertFalse(Files.exists(directory.resolve("memory")), "a memory tier was made");
    return refused;
  }

  private static ServerSocket taken() throws IOException {
    ServerSocket socket = new ServerSocket();
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return socket;
  }

  @Test
  void aTakenPortIsFoundBeforeTheStoreIsOpened() throws IOException {
    try (ServerSocket taken = taken()) {
      options.put("listen", "127.0.0.1:" + taken.getLocalPort());
      StartException refused = refused();
      assertEquals(StartException.NO_RESOURCE, refused.exitCode());
      assertEquals(
          List.of(
              "listen 127.0.0.1:" + taken.getLocalPort() + ": address in use by another process"),
          refused.lines());
    }
  }

  @Test
  void aTakenAdminPortIsFoundBeforeTheStoreIsOpened() throws IOException {
    try (ServerSocket taken = taken()) {
      options.put("admin.address", "127.0.0.1:" + taken.getLocalPort());
      StartException refused = refused();
      assertEquals(StartException.NO_RESOURCE, refused.exitCode());
      assertEquals(
          List.of(
              "admin 127.0.0.1:" + taken.getLocalPort() + ": address in use by another process"),
          refused.lines());
    }
  }

  @Test
  void aBadCertificateIsFoundBeforeTheStoreIsOpened() throws IOException {
    Path pem = Files.writeString(directory.resolve("bad.pem"), "no certificate");
    options.put("tls.listen", "127.0.0.1:0");
    options.put("tls.certificate", pem.toString());
    options.put("tls.key", pem.toString());
    assertTrue(refused().lines().getFirst().contains("bad.pem"));
  }

  @Test
  void anAccessLogThatCannotBeWrittenSaysWhatToDo() {
    Path missing = directory.resolve("missing");
    options.put("access-log.output", missing.resolve("access.log").toString());
    StartException refused = refused();
    assertEquals(StartException.NO_RESOURCE, refused.exitCode());
    assertEquals(
        List.of(
            "access-log: cannot write "
                + missing.resolve("access.log")
                + ": there is no directory "
                + missing
                + "; make it, or set access-log.output"),
        refused.lines());
  }

  @Test
  void anAccessLogThatIsADirectorySaysSo() {
    options.put("access-log.output", directory.toString());
    StartException refused = refused();
    assertEquals(StartException.NO_RESOURCE, refused.exitCode());
    assertTrue(
        refused.lines().getFirst().contains("it is a directory; name a file in it"),
        refused.lines().toString());
  }

  @Test
  void aDataPathThatIsAFileSaysSo() throws IOException {
    Path file = Files.writeString(directory.resolve("a-file"), "text");
    for (Path data : List.of(file, file.resolve("below"))) {
      options.put("store.data", data.toString());
      StartException refused = refused();
      assertEquals(StartException.NO_RESOURCE, refused.exitCode());
      assertEquals(
          List.of(
              file + " is a file where a directory is needed: move it away, or name another path"),
          refused.lines());
      assertEquals("text", Files.readString(file));
    }
  }

  @Test
  void theBannerNamesWhatEachListenerSpeaks() throws Exception {
    Path yaml =
        Files.writeString(
            directory.resolve("forebay.yaml"),
            """
            listen:
              - {name: bare, address: "127.0.0.1:0"}
              - {name: clear, address: "127.0.0.1:0", h2c: true}
              - {name: relayed, address: "127.0.0.1:0", proxy-protocol: true}
              - name: secure
                address: "127.0.0.1:0"
                tls: {certificate: "CHAIN", key: "KEY"}
              - name: quick
                address: "127.0.0.1:0"
                tls: {certificate: "CHAIN", key: "KEY"}
            http3: {listeners: [quick]}
            forwarding: {trusted: ["127.0.0.1"]}
            """
                .replace("CHAIN", chain().toString())
                .replace("KEY", key().toString()));
    options.remove("listen");
    ConfigLoader loader = new ConfigLoader(ConfigEnvironment.system());
    try (Server server = Server.start(ConfigSource.of(loader, yaml, options), "test")) {
      List<String> listening =
          server.banner().stream()
              .filter(line -> line.startsWith("listen "))
              .map(line -> line.replaceAll(":[0-9]+", ""))
              .toList();
      assertEquals(
          List.of(
              "listen     http://127.0.0.1",
              "listen     http://127.0.0.1 (h2c)",
              "listen     http://127.0.0.1 (PROXY protocol)",
              "listen     https://127.0.0.1 (h2)",
              "listen     https://127.0.0.1 (h2, h3)"),
          listening);
    }
  }

  private Path chain() {
    return certificates.pem("node");
  }

  private Path key() {
    return certificates.key("node");
  }

  @Test
  void theBannerSaysWhatIsTrueOfTheLoops() throws StartException {
    ConfigLoader loader = new ConfigLoader(ConfigEnvironment.system());
    try (Server server = Server.start(ConfigSource.of(loader, null, options), "test")) {
      assertTrue(
          server.banner().contains("loops      1, not pinned: threads.pin is off"),
          server.banner().toString());
      assertTrue(server.banner().contains("transport  epoll"), server.banner().toString());
    }
  }
}
