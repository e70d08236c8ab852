package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.OriginReadiness.Problem;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.dns.NameResolver.Resolution;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.group.Origins;
import io.forebay.server.origin.group.ServerAddress;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("slow")
class OriginNamesTest {

  @Test
  void aNameThatDoesNotResolveFailsTheCallAndHeals() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(named(origin))) {
      lab.names.fail("origin.test", "no such name");
      String detail = lab.send(Lab.get("/")).failure(Kind.NAME_NOT_RESOLVED);
      assertTrue(detail.contains("origin.test"), detail);
      assertTrue(detail.contains("no such name"), detail);
      assertEquals(0, lab.connections.open("main"));

      lab.names.set("origin.test", "127.0.0.1");
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.respond("healed");
      assertEquals("healed", response.body());
    }
  }

  @Test
  void aNameServerThatDoesNotAnswerIsBoundedByTheConnectTimeout() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withTimes(named(origin), 60, 5000, 5000, 0, 5000))) {
      List<Runnable> kept = new ArrayList<>();
      lab.names.holdBack(kept::add);
      String detail = lab.send(Lab.get("/")).failure(Kind.NAME_TIMEOUT);
      assertTrue(detail.contains("60 ms"), detail);
      // The late answer finds nobody.
      lab.onLoop(
          0,
          () -> {
            kept.forEach(Runnable::run);
            return null;
          });
      assertEquals(0, lab.connections.open("main"));
    }
  }

  @Test
  void triesTheNextAddressWhenOneRefuses() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start("127.0.0.3", null);
        Lab lab = Lab.of(named(origin))) {
      lab.names.set("origin.test", "127.0.0.4", "127.0.0.5", "127.0.0.3");
      for (int i = 0; i < 3; i++) {
        // Each connection begins with another address and ends at the one that answers.
        Recorder response = lab.send(Lab.get("/" + i));
        Connection connection = origin.accept();
        connection.head();
        connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
        assertEquals("ok", response.body());
        connection.awaitClose();
      }
      assertEquals(3, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void triesThreeAddressesAtMost() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start("127.0.0.3", null);
        Lab lab = Lab.of(named(origin))) {
      lab.names.set("origin.test", "127.0.0.4", "127.0.0.5", "127.0.0.6", "127.0.0.3");
      lab.send(Lab.get("/")).failure(Kind.CONNECT_REFUSED);
      assertEquals(0, lab.connections.open("main"));
    }
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, loopback",
    "127.9.9.9, loopback",
    "::1, loopback",
    "169.254.169.254, link-local",
    "fe80::1, link-local",
    "0.0.0.0, unspecified",
    "0.1.2.3, unspecified",
    "::, unspecified",
    "::ffff:127.0.0.1, loopback",
    "64:ff9b::7f00:1, loopback",
    "64:ff9b::a9fe:a9fe, link-local",
    "::127.0.0.1, loopback",
    "100.100.100.200, cloud metadata",
    "168.63.129.16, cloud metadata",
    "fd00:ec2::254, cloud metadata",
    "fd20:ce::254, cloud metadata",
    "64:ff9b::6464:64c8, cloud metadata",
    "169.254.0.0, link-local",
    "169.254.255.255, link-local",
    "febf::1, link-local",
    "224.0.0.1, multicast",
    "239.255.255.255, multicast",
    "ff02::1, multicast",
    "240.0.0.1, reserved",
    "255.255.255.255, reserved",
    "192.0.0.192, reserved",
    "192.88.99.1, tunnel",
    "2002:7f00:1::1, tunnel",
    "2001:0:1::1, tunnel",
    "64:ff9b:1::7f00:1, tunnel",
  })
  void refusesANameThatStandsForAnAddressNobodyOutsideMayName(String address, String kind)
      throws Exception {
    OriginConfig config = Lab.origin("http://origin.test:80");
    try (Lab lab = Lab.of(config)) {
      lab.names.set("origin.test", address);
      String detail = lab.send(Lab.get("/")).failure(Kind.ADDRESS_REFUSED);
      assertTrue(detail.contains("a " + kind + " address"), detail);
      assertEquals(0, lab.counters().originConnectionsOpened);
      assertEquals(0, lab.connections.open("main"));
      List<Problem> problems =
          OriginReadiness.problems(
              Origins.load(List.of(config), Origins.NONE, a -> false), lab.names);
      assertEquals(1, problems.size());
      assertEquals("main", problems.getFirst().origin());
      assertEquals(detail, problems.getFirst().detail());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.0",
        "10.255.255.255",
        "100.64.0.0",
        "100.127.255.255",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "fc00::1",
        "fdff::1",
        "fec0::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1"
      })
  void takesAPrivateAddressUnlessTheOriginSaysOtherwise(String address) throws Exception {
    OriginConfig open = Lab.origin("http://origin.test:80");
    Lab.ScriptedNames names = new Lab.ScriptedNames();
    names.set("origin.test", address);
    assertEquals(List.of(), OriginReadiness.problems(load(open), names));
    try (Lab lab = Lab.of(Lab.withoutPrivateNames(open))) {
      lab.names.set("origin.test", address);
      String detail = lab.send(Lab.get("/")).failure(Kind.ADDRESS_REFUSED);
      assertTrue(detail.endsWith("origins.main.allow-private-names is false"), detail);
      assertEquals(0, lab.counters().originConnectionsOpened);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"169.254.169.254", "224.0.0.1", "2002::1"})
  void aNameThatMayBeLoopbackMayBeNothingElse(String address) throws Exception {
    try (Lab lab = Lab.of(Lab.withLoopbackNames(Lab.origin("http://origin.test:80")))) {
      lab.names.set("origin.test", address);
      lab.send(Lab.get("/")).failure(Kind.ADDRESS_REFUSED);
      assertEquals(0, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void aNameIsJudgedAgainWhenItsAddressChanges() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(named(origin))) {
      lab.names.set("origin.test", "127.0.0.1");
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
      assertEquals("ok", response.body());
      connection.awaitClose();
      lab.names.set("origin.test", "169.254.169.254");
      lab.send(Lab.get("/")).failure(Kind.ADDRESS_REFUSED);
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  private static Origins load(OriginConfig config) throws IOException {
    return Origins.load(List.of(config), Origins.NONE, address -> false);
  }

  @Test
  void leavesOutTheRefusedAmongSeveralAddresses() throws Exception {
    Origins origins =
        Origins.load(
            List.of(Lab.origin("http://origin.test")),
            Origins.NONE,
            address -> address.getAddress().getHostAddress().equals("192.0.2.7"));
    Origin origin = origins.find("main");
    assertNotNull(origin);
    List<InetAddress> all = new ArrayList<>();
    for (String address :
        List.of("127.0.0.1", "192.0.2.1", "192.0.2.7", "fe80::1", "64:ff9b::c000:207")) {
      all.add(InetAddress.getByName(address));
    }
    assertEquals(
        List.of(InetAddress.getByName("192.0.2.1")),
        ServerAddress.allowed(origin.servers().getFirst(), origins, new Resolution(all, null, null))
            .stream()
            .map(one -> one.address().getAddress())
            .toList());
  }

  @Test
  void refusesANameThatStandsForOurOwnListener() throws Exception {
    OriginConfig config = Lab.origin("http://origin.test:8080");
    Origins origins =
        Origins.load(List.of(config), Origins.NONE, address -> address.getPort() == 8080);
    Lab.ScriptedNames names = new Lab.ScriptedNames();
    names.set("origin.test", "192.0.2.1");
    List<Problem> problems = OriginReadiness.problems(origins, names);
    assertEquals(1, problems.size());
    assertTrue(problems.getFirst().detail().contains("itself listens"), problems::toString);
  }

  @Test
  void connectsToLocalhostAndLiteralsWithoutBeingAsked() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin("http://localhost:" + origin.port()))) {
      lab.names.set("localhost", "127.0.0.1");
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  @Test
  void saysWhichOriginsAreNotReady() throws Exception {
    OriginConfig config = Lab.origin("http://origin.test");
    Origins origins = Origins.load(List.of(config), Origins.NONE, address -> false);
    Lab.ScriptedNames names = new Lab.ScriptedNames();
    assertTrue(
        OriginReadiness.problems(origins, names)
            .getFirst()
            .detail()
            .contains("not been resolved yet"));
    names.fail("origin.test", "no such name");
    assertTrue(
        OriginReadiness.problems(origins, names)
            .getFirst()
            .detail()
            .contains("does not resolve: no such name"));
    names.set("origin.test", "192.0.2.1");
    assertEquals(List.of(), OriginReadiness.problems(origins, names));
    Origins literal =
        Origins.load(List.of(Lab.origin("http://127.0.0.1:1")), Origins.NONE, address -> false);
    assertEquals(List.of(), OriginReadiness.problems(literal, names));
    assertEquals(Set.of("origin.test"), origins.hostNames());
    assertEquals(Set.of(), literal.hostNames());
  }

  @ParameterizedTest
  @CsvSource({
    "http://a, a, 80, a",
    "http://A.Example:8080, a.example, 8080, a.example:8080",
    "https://a_b, a_b, 443, a_b",
    "https://a:80/, a, 80, a:80",
    "http://[::1]:81, ::1, 81, [::1]:81",
    "http://[::1], ::1, 80, [::1]",
    "HTTP://127.0.0.1:80, 127.0.0.1, 80, 127.0.0.1",
  })
  void readsUrls(String url, String host, int port, String authority) throws Exception {
    Origins origins = Origins.load(List.of(Lab.origin(url)), Origins.NONE, address -> false);
    Origin origin = origins.find("main");
    assertNotNull(origin);
    OriginServer server = origin.servers().getFirst();
    assertEquals(host, server.host());
    assertEquals(port, server.port());
    assertEquals(authority, server.authority());
    assertEquals(url.startsWith("https"), server.isTls());
    assertEquals(host.equals("::1") || host.equals("127.0.0.1"), server.literal() != null);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "ftp://a",
        "http://",
        "http:///",
        "http://a/../b",
        "http://a/b?c",
        "http://a?b",
        "http://u:p@a",
        "http://a:0",
        "http://a:65536",
        "http://a:http",
        "http://a:80:80",
        "http://[::1",
        "http://[::g]",
        "http://[::1]x",
        "http://a b",
        "http://a\r\nb",
        "http://:80",
      })
  void refusesUrlsThatAreNotAnOrigins(String url) {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> Origins.load(List.of(Lab.origin(url)), Origins.NONE, address -> false));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.startsWith("origin main: url "), message);
    assertFalse(message.contains("\r"), message);
  }

  private static OriginConfig named(ScriptedOrigin origin) {
    return Lab.withLoopbackNames(Lab.origin("http://origin.test:" + origin.port()));
  }
}
