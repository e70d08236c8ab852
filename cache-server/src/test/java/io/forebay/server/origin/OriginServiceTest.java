package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.dns.NameResolver.Resolution;
import io.forebay.server.origin.dns.ServiceAddress;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.group.Origins;
import io.forebay.server.origin.group.ServerAddress;
import io.forebay.server.origin.probe.ProbeDraft;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers whose URL has an SRV name. */
@Timeout(60)
@Tag("slow")
class OriginServiceTest {
  private static final String NAME = "_http._tcp.origin.test";

  @TempDir Path directory = Path.of("");

  @ParameterizedTest
  @CsvSource({
    "http+srv://_http._tcp.Example.com, _http._tcp.example.com, example.com, 80",
    "https+srv://_https._tcp.example.com/base, _https._tcp.example.com, example.com, 443",
    "http+srv://web.service.consul, web.service.consul, web.service.consul, 80",
    "http+srv://_a._b._c.test, _a._b._c.test, _c.test, 80",
    "http+srv://_http._tcp.example.com., _http._tcp.example.com., example.com., 80",
  })
  void theNameOfTlsAndHostIsTheDomainOfTheSrvName(
      String url, String service, String domain, int port) throws Exception {
    Origins origins = Origins.load(List.of(Lab.origin(url)), Origins.NONE, address -> false);
    OriginServer server = server(origins);
    assertEquals(service, server.service());
    assertEquals(domain, server.host());
    assertEquals(domain, server.authority());
    assertEquals(port, server.port());
    assertEquals(domain.replaceAll("\\.$", ""), server.tlsName());
    assertEquals(Set.of("srv:" + service), origins.hostNames());
    assertTrue(server.isNamed());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http+srv://_http._tcp.a.test:80",
        "http+srv://192.0.2.1",
        "http+srv://[::1]",
        "http+srv://",
        "ftp+srv://a",
        "unix+srv://a",
      })
  void refusesWhatIsNoSrvName(String url) {
    assertThrows(
        IllegalArgumentException.class,
        () -> Origins.load(List.of(Lab.origin(url)), Origins.NONE, address -> false));
  }

  @Test
  void requestsAreBalancedByTheWeightsOfTheRecords() throws Exception {
    try (CountingServers servers = new CountingServers(3);
        Lab lab = Lab.of(named())) {
      lab.names.set(NAME, at(servers, 0, 10, 3), at(servers, 1, 10, 1), at(servers, 2, 20, 9));
      send(lab, 12);
      assertEquals(List.of(9, 3, 0), servers.counts());
    }
  }

  @Test
  void aWeightThatChangesHoldsForTheNextRequests() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(named())) {
      lab.names.set(NAME, at(servers, 0, 10, 1), at(servers, 1, 10, 1));
      send(lab, 4);
      assertEquals(List.of(2, 2), servers.counts());
      lab.names.set(NAME, at(servers, 0, 10, 1), at(servers, 1, 10, 4));
      send(lab, 10);
      assertEquals(List.of(4, 10), servers.counts());
      assertEquals(2, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void aHigherPriorityIsUsedWhileNoLowerOneCanBeAndBackupsAfterAll() throws Exception {
    try (CountingServers servers = new CountingServers(3);
        Lab lab =
            Lab.of(
                Lab.withServers(
                    named(), OriginServerConfig.of("http+srv://" + NAME), servers.backup(2)))) {
      lab.names.set(NAME, at(servers, 0, 10, 1), at(servers, 1, 20, 1));
      send(lab, 3);
      assertEquals(List.of(3, 0, 0), servers.counts());
      servers.stop(0);
      send(lab, 3);
      assertEquals(List.of(3, 3, 0), servers.counts());
      servers.stop(1);
      send(lab, 3);
      assertEquals(List.of(3, 3, 3), servers.counts());
    }
  }

  @Test
  void anAddressWhoseRecordIsRemovedFinishesItsCallsAndGetsNoMore() throws Exception {
    try (ScriptedOrigin leaving = ScriptedOrigin.start();
        CountingServers staying = new CountingServers(1);
        Lab lab = Lab.of(named())) {
      lab.names.set(NAME, service("127.0.0.1", leaving.port(), 10, 1));
      Recorder first = lab.send(Lab.get("/idle"));
      Recorder second = lab.send(Lab.get("/under-way"));
      Connection idle = leaving.accept();
      Connection underWay = leaving.accept();
      idle.head();
      underWay.head();
      idle.respond("one");
      first.body();
      lab.awaitOnLoop(0, "an idle connection", () -> lab.client(0).idleCount("main") == 1);

      lab.names.set(NAME, at(staying, 0, 10, 1));
      send(lab, 2);
      assertEquals(2, staying.count(0));
      idle.awaitClose();
      underWay.respond("two");
      assertEquals("two", second.body());
      underWay.awaitClose();
    }
  }

  @Test
  void aNameThatSaysThatThereIsNoServiceFailsTheCall() throws Exception {
    try (CountingServers servers = new CountingServers(1);
        Lab lab = Lab.of(named())) {
      lab.names.set(NAME, at(servers, 0, 10, 1));
      send(lab, 1);
      lab.names.fail("srv:" + NAME, "no such service");
      String detail = lab.send(Lab.get("/")).failure(Kind.NAME_NOT_RESOLVED);
      assertTrue(
          detail.contains("name " + NAME + " (SRV) does not resolve: no such service"), detail);
    }
  }

  @Test
  void theFilterJudgesEachAddressWithItsPort() throws Exception {
    Origins origins =
        Origins.load(
            List.of(Lab.withoutPrivateNames(Lab.origin("http+srv://" + NAME))),
            Origins.NONE,
            address -> address.getPort() == 8080);
    List<ServiceAddress> services =
        List.of(
            service("127.0.0.1", 80, 1, 1),
            service("169.254.169.254", 80, 1, 1),
            service("10.0.0.1", 80, 1, 1),
            service("192.0.2.1", 8080, 1, 1),
            service("64:ff9b::c000:201", 8080, 1, 1),
            service("192.0.2.1", 8081, 1, 0),
            service("192.0.2.1", 8081, 7, 9),
            service("192.0.2.2", 80, 7, 65_535));
    List<ServerAddress> allowed = allowed(origins, services);
    assertEquals(
        List.of("192.0.2.1:8081", "192.0.2.2:80"),
        allowed.stream()
            .map(one -> one.address().getAddress().getHostAddress() + ":" + one.address().getPort())
            .toList());
    assertEquals(List.of(1, 65_535), allowed.stream().map(ServerAddress::weight).toList());
    assertEquals(List.of(0, 2), allowed.stream().map(one -> one.rank(allowed)).toList());
    String refused =
        OriginReadiness.refused(server(origins), origins, resolution(services.subList(3, 4)));
    assertTrue(refused.contains("192.0.2.1:8080, where this node itself listens"), refused);
  }

  @Test
  void theNameLocalhostBehindAnSrvNameMayNotBeLoopback() throws Exception {
    Origins origins =
        Origins.load(
            List.of(Lab.origin("http+srv://_http._tcp.localhost")), Origins.NONE, a -> false);
    assertEquals(List.of(), allowed(origins, List.of(service("127.0.0.1", 80, 1, 1))));
  }

  @Test
  void ipv6AddressesRankBehindThoseOfTheirOwnTargetOnly() throws Exception {
    Origins origins =
        Origins.load(List.of(Lab.origin("http+srv://" + NAME)), Origins.NONE, a -> false);
    List<ServerAddress> allowed =
        allowed(
            origins,
            List.of(
                service("192.0.2.1", 80, 10, 1),
                service("2001:db8::1", 80, 10, 1),
                new ServiceAddress("six.", InetAddress.getByName("2001:db8::2"), 80, 10, 1)));
    assertEquals(List.of(0, 1, 0), allowed.stream().map(one -> one.rank(allowed)).toList());
  }

  @Test
  void tlsVerifiesTheDomainAndNotTheTarget() throws Exception {
    Certificates certificates = Certificates.in(directory);
    OriginConfig config =
        Lab.withTrust(
            Lab.withLoopbackNames(Lab.origin("https+srv://" + NAME)), certificates.authorityPem());
    try (ScriptedOrigin right =
            ScriptedOrigin.startTls(
                Certificates.serverContext(certificates.ecdsa("origin.test", "origin.test")));
        ScriptedOrigin wrong =
            ScriptedOrigin.startTls(
                Certificates.serverContext(certificates.ecdsa("target.test", "target.test")));
        Lab lab = Lab.of(config)) {
      lab.names.set(NAME, service("127.0.0.1", wrong.port(), 1, 1));
      Recorder refused = lab.send(Lab.get("/"));
      Connection handshake = wrong.accept();
      assertThrows(IOException.class, handshake::head);
      refused.failure(Kind.TLS_CERTIFICATE);
      lab.names.set(NAME, service("127.0.0.1", right.port(), 1, 1));
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = right.accept();
      connection.head();
      connection.respond("secret");
      assertEquals("secret", response.body());
    }
  }

  @Test
  void reportsShowEachAddressAndOperatorsDrainThem() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(named())) {
      lab.names.set(NAME, at(servers, 0, 10, 1), at(servers, 1, 10, 1));
      OriginDrains drains = lab.drains(directory);
      OriginStatus.Server server = lab.status().servers().getFirst();
      assertEquals("http+srv://" + NAME, server.url());
      String first = server.endpoints().getFirst().address();
      assertEquals("127.0.0.1:" + port(servers, 0), first);
      assertTrue(drains.drain(new DrainOrder(first, null, "a test", false)).isChanged());
      send(lab, 4);
      assertEquals(List.of(0, 4), servers.counts());
      assertTrue(drains.undrain(first, null).isChanged());
      String url = "HTTP+SRV://" + NAME.toUpperCase(Locale.ROOT);
      assertTrue(drains.drain(new DrainOrder(url, null, "a test", true)).isChanged());
      lab.send(Lab.get("/")).failure(Kind.CONNECT_FAILED);
      assertTrue(drains.undrain("http+srv://" + NAME, null).isChanged());
      send(lab, 4);
      assertEquals(List.of(2, 6), servers.counts());
    }
  }

  @Test
  void eachAddressIsProbedAtItsPort() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(Lab.withProbe(named(), ProbeDraft.http().config()))) {
      lab.names.set(NAME, at(servers, 0, 10, 1), at(servers, 1, 20, 1));
      OriginProbes probes = lab.probes();
      Await.until(
          "both pass",
          () -> probes.servers().size() == 1 && probes.servers().getFirst().passing() == 2);
      assertEquals("http+srv://" + NAME, probes.servers().getFirst().server());
      assertTrue(servers.count(0) > 0 && servers.count(1) > 0, () -> "" + servers.counts());
    }
  }

  private static OriginConfig named() {
    return Lab.withLoopbackNames(Lab.origin("http+srv://" + NAME));
  }

  private static ServiceAddress at(CountingServers servers, int index, int priority, int weight)
      throws Exception {
    return service("127.0.0.1", port(servers, index), priority, weight);
  }

  private static int port(CountingServers servers, int index) {
    return URI.create(servers.server(index).url()).getPort();
  }

  private static ServiceAddress service(String address, int port, int priority, int weight)
      throws Exception {
    return new ServiceAddress(
        "target.test.", InetAddress.getByName(address), port, priority, weight);
  }

  private static Resolution resolution(List<ServiceAddress> services) {
    return new Resolution(
        services.stream().map(ServiceAddress::address).toList(), null, null, services);
  }

  private static List<ServerAddress> allowed(Origins origins, List<ServiceAddress> services) {
    return ServerAddress.allowed(server(origins), origins, resolution(services));
  }

  private static OriginServer server(Origins origins) {
    Origin origin = origins.find("main");
    assertNotNull(origin);
    return origin.servers().getFirst();
  }

  private static void send(Lab lab, int requests) throws Exception {
    for (int i = 0; i < requests; i++) {
      lab.send(Lab.get("/" + i)).body();
    }
  }
}
