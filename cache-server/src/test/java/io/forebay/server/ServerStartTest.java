package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
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

/** What cannot start says so before anything is made for it. */
@Tag("slow")
final class ServerStartTest {

  @TempDir Path directory;
  private Map<String, String> options;

  @BeforeEach
  void configure() {
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
            StartException.class, () -> Server.start(() -> loader.load(null, options), "test"));
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
  void theBannerSaysWhatIsTrueOfTheLoops() throws StartException {
    ConfigLoader loader = new ConfigLoader(ConfigEnvironment.system());
    try (Server server = Server.start(() -> loader.load(null, options), "test")) {
      assertTrue(
          server.banner().contains("loops      1, not pinned: threads.pin is off"),
          server.banner().toString());
      assertTrue(server.banner().contains("transport  epoll"), server.banner().toString());
    }
  }
}
