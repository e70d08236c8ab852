package io.forebay.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.doctor.Outside.Trial;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.dns.NamePlaces;
import io.forebay.testing.Certificates;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Origins over real sockets. */
final class OriginConnectorTest {
  @TempDir private Path directory;
  private NamePlaces places = NamePlaces.SYSTEM;

  @BeforeEach
  void names() throws IOException {
    places =
        new NamePlaces(
            Files.writeString(directory.resolve("hosts"), "127.0.0.1 origin.test\n"),
            Files.writeString(directory.resolve("resolv.conf"), ""),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free()));
  }

  private OriginConfig origin(String... more) {
    Map<String, String> config = new HashMap<>();
    for (int i = 0; i < more.length; i += 2) {
      config.put("origins.main." + more[i], more[i + 1]);
    }
    ConfigEnvironment nothing =
        new ConfigEnvironment(
            Map.of(), directory, directory.resolve("none"), directory, directory, "edge");
    return switch (new ConfigLoader(nothing).load(null, config)) {
      case ConfigOutcome.Loaded loaded -> loaded.config().origins().getFirst();
      case ConfigOutcome.Refused refused -> throw new AssertionError(refused);
    };
  }

  private Trial trial(boolean asksHead, OriginConfig origin) {
    return new OriginConnector(places, asksHead).connect(origin, origin.servers().getFirst());
  }

  @Test
  void aServerIsConnectedToAndNotAsked() throws Exception {
    try (PathOrigin origin = PathOrigin.start()) {
      Trial trial = trial(false, origin("url", origin.url()));
      assertNull(trial.failure(), trial.toString());
      assertTrue(trial.found().contains("127.0.0.1 connected in "), trial.found());
      assertEquals(0, origin.count("/"));
    }
  }

  @Test
  void aHeadRequestIsSentWhereItIsWanted() throws Exception {
    try (PathOrigin origin = PathOrigin.start()) {
      origin.cacheable("/", "body");
      Trial good = trial(true, origin("url", origin.url()));
      assertNull(good.failure(), good.toString());
      assertTrue(good.found().contains("HEAD / is 200"), good.found());
      assertEquals("HEAD", origin.requests("/").getFirst().method());
    }
  }

  @Test
  void nobodyThereAndNoSuchNameAreTold() throws Exception {
    Trial refused = trial(false, origin("url", "http://127.0.0.1:" + Ports.free()));
    assertNotNull(refused.failure());
    assertTrue(refused.failure().contains("refused"), refused.toString());
  }

  /** Accepts one connection and makes the handshake, for better or worse. */
  private static void serveOnce(SSLServerSocket server) {
    Thread.ofVirtual()
        .start(() -> {
          try (Socket socket = server.accept()) {
            var _ = socket.getInputStream().read();
          } catch (SSLException refused) {
            // the other side says why
          } catch (IOException closed) {
            // the test is over
          }
        });
  }

  @Test
  void theHandshakeChecksNameAndAuthority() throws Exception {
    Certificates certificates = Certificates.in(directory);
    var context = Certificates.serverContext(certificates.ecdsa("origin", "origin.test"));
    try (SSLServerSocket server =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 4, InetAddress.getLoopbackAddress())) {
      String port = ":" + server.getLocalPort();
      String authority = certificates.authorityPem().toString();
      serveOnce(server);
      Trial good = trial(false, origin("url", "https://origin.test" + port, "trust", authority));
      assertNull(good.failure(), good.toString());
      assertNotNull(good.certificateUntil());
      assertTrue(good.found().contains("TLSv1.3"), good.found());

      serveOnce(server);
      Trial stranger = trial(false, origin("url", "https://origin.test" + port));
      assertNotNull(stranger.failure());

      serveOnce(server);
      Trial otherName = trial(false, origin("url", "https://127.0.0.1" + port, "trust", authority));
      assertNotNull(otherName.failure());
    }
  }

  @Test
  void namesAreLookedUpAsANodeDoes() {
    OriginConnector connector = new OriginConnector(places, false);
    var found = connector.lookup(List.of("origin.test"));
    assertEquals(
        List.of("127.0.0.1"),
        found.values().stream()
            .flatMap(trial -> trial.addresses().stream())
            .map(InetAddress::getHostAddress)
            .toList());
  }

  @Test
  void theKernelTellsOfItsClock() {
    KernelClock clock = KernelClock.here();
    assertNotNull(clock, "Linux has adjtimex");
    assertTrue(clock.maxErrorMicros() >= 0, clock.toString());
  }
}
