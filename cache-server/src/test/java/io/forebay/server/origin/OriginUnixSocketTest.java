package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.UnixOrigin;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Origins on Unix-domain sockets. */
@Timeout(60)
@Tag("slow")
class OriginUnixSocketTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void requestsShareAConnectionToTheSocket(boolean isNio) throws Exception {
    try (UnixOrigin origin = new UnixOrigin(directory.resolve("app.sock"));
        Lab lab = new Lab(1, isNio, Lab.origin("unix:" + origin.file()))) {
      assertEquals("/x?y", lab.send(Lab.get("/x?y")).body());
      lab.awaitOnLoop(0, "idle", () -> lab.client(0).idleCount("main") == 1);
      assertEquals("/z", lab.send(Lab.get("/z")).body());
      assertEquals(1, origin.accepted());
      assertTrue(origin.heads().getFirst().contains("\r\nhost: example.com\r\n"));
    }
  }

  @Test
  void theBasePathFollowsTheFile() throws Exception {
    try (UnixOrigin origin = new UnixOrigin(directory.resolve("app.sock"));
        Lab lab = Lab.of(Lab.origin("unix:" + origin.file() + ":/base"))) {
      assertEquals("/base/x", lab.send(Lab.get("/x")).body());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSocketThatIsNotThereIsAFailedConnection(boolean isNio) throws Exception {
    Path missing = directory.resolve("missing.sock");
    try (Lab lab = new Lab(1, isNio, Lab.origin("unix:" + missing))) {
      String detail = lab.send(Lab.get("/")).failure(Kind.CONNECT_FAILED);
      assertTrue(detail.contains("cannot connect to unix:" + missing), detail);
      assertEquals(0, lab.connections.open("main"));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSocketThatNobodyListensOnGivesTheRequestToTheNextServer(boolean isNio) throws Exception {
    Path stale = directory.resolve("stale.sock");
    try (ServerSocketChannel gone = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      gone.bind(UnixDomainSocketAddress.of(stale));
    }
    try (ScriptedOrigin other = ScriptedOrigin.start();
        Lab lab =
            new Lab(
                1,
                isNio,
                Lab.withServers(
                    Lab.withEjection(Lab.origin(""), 2, 50, 50),
                    OriginServerConfig.of("unix:" + stale),
                    OriginServerConfig.of(other.url())))) {
      other.serve(connection -> {
        while (true) {
          connection.head();
          connection.respond("other");
        }
      });
      for (int i = 0; i < 6; i++) {
        assertEquals("other", lab.send(Lab.get("/" + i)).body());
      }
      OriginStatus.Endpoint endpoint = lab.status().servers().getFirst().endpoints().getFirst();
      assertEquals("unix:" + stale, endpoint.address());
      assertEquals("ejected", endpoint.state());
      assertTrue(
          lab.log.stream().anyMatch(line -> line.contains("unix:" + stale + " gets no requests")),
          lab.log::toString);
    }
  }

  @Test
  void aSocketThatIsMadeAgainIsUsedAgain() throws Exception {
    Path file = directory.resolve("app.sock");
    try (Lab lab = Lab.of(Lab.origin("unix:" + file))) {
      try (UnixOrigin first = new UnixOrigin(file)) {
        assertEquals("/1", lab.send(Lab.get("/1")).body());
        assertEquals(1, first.accepted());
      }
      try (UnixOrigin second = new UnixOrigin(file)) {
        assertEquals("/2", lab.send(Lab.get("/2")).body());
        assertEquals(List.of("unix:" + file), addresses(lab));
        assertEquals(1, second.accepted());
      }
    }
  }

  private static List<String> addresses(Lab lab) {
    return lab.status().servers().stream()
        .flatMap(server -> server.endpoints().stream())
        .map(OriginStatus.Endpoint::address)
        .toList();
  }
}
