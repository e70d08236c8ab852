package io.forebay.server.origin.dns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.origin.dns.NameLookup.Answer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lookups of SRV names at a name server of the test on loopback sockets. */
@Timeout(60)
class ServiceLookupTest {
  private static final String NAME = "_http._tcp.a.test";

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop thread = group.next();
  private ScriptedNameServer server;
  private DnsLookup lookup;

  @TempDir Path directory = Path.of("");

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedNameServer();
    Path hosts = Files.writeString(directory.resolve("hosts"), "192.0.2.50 listed.test\n");
    lookup =
        new DnsLookup(thread, new NamePlaces(hosts, directory.resolve("none"), server.address()));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
  }

  @Test
  void findsTheAddressesOfEachTargetWithPortPriorityAndWeight() throws Exception {
    server
        .service(NAME, 300, 20, 0, 8082, "two.test")
        .service(NAME, 300, 10, 5, 8081, "One.test")
        .address("one.test", 42, "192.0.2.1")
        .address("one.test", 300, "2001:db8::1")
        .address("two.test", 300, "192.0.2.2");
    Answer answer = ask();
    assertNull(answer.failure());
    assertEquals(
        List.of(
            service("one.test.", "192.0.2.1", 8081, 10, 5),
            service("one.test.", "2001:db8::1", 8081, 10, 5),
            service("two.test.", "192.0.2.2", 8082, 20, 0)),
        answer.services());
    assertEquals(3, answer.addresses().size());
    assertEquals(42, answer.ttlSeconds());
  }

  @Test
  void theTtlOfTheRecordsCountsToo() throws Exception {
    server.service(NAME, 7, 1, 1, 80, "one.test").address("one.test", 300, "192.0.2.1");
    assertEquals(7, ask().ttlSeconds());
  }

  @Test
  void findsTargetsInTheHostsFile() throws Exception {
    server.service(NAME, 300, 1, 1, 80, "listed.test");
    assertEquals(List.of(service("listed.test.", "192.0.2.50", 80, 1, 1)), ask().services());
  }

  @Test
  void readsATargetThatIsCompressed() throws Exception {
    byte[] target = {1, 'b', (byte) 0xc0, 12};
    server
        .add(NAME, ScriptedNameServer.SRV, 300, ScriptedNameServer.service(1, 2, 80, target))
        .address("b." + NAME, 300, "192.0.2.1");
    assertEquals(List.of(service("b." + NAME + ".", "192.0.2.1", 80, 1, 2)), ask().services());
  }

  @Test
  void followsAnAlias() throws Exception {
    server
        .add(NAME, ScriptedNameServer.CNAME, 300, ScriptedNameServer.name("_http._tcp.b.test"))
        .service("_http._tcp.b.test", 300, 1, 1, 80, "one.test")
        .address("one.test", 300, "192.0.2.1");
    assertEquals(List.of(service("one.test.", "192.0.2.1", 80, 1, 1)), ask().services());
  }

  @Test
  void aRootAsTargetSaysThatThereIsNoService() throws Exception {
    byte[] root = {0};
    server.add(NAME, ScriptedNameServer.SRV, 300, ScriptedNameServer.service(0, 0, 0, root));
    Answer answer = ask();
    assertTrue(answer.isWithdrawn());
    assertEquals(List.of(), answer.services());
    assertTrue(String.valueOf(answer.failure()).contains("no such service"), answer::toString);
  }

  @Test
  void aNameWithoutRecordsFailsAndWithdrawsNothing() throws Exception {
    server.address(NAME, 300, "192.0.2.1");
    Answer answer = ask();
    assertFalse(answer.isWithdrawn());
    assertEquals(List.of(), answer.services());
    assertTrue(answer.failure() != null);
  }

  @Test
  void aNameThatIsUnknownFailsWithItsCode() throws Exception {
    Answer answer = ask();
    assertFalse(answer.isWithdrawn());
    assertEquals("NXDOMAIN", answer.rcode());
  }

  @Test
  void aTargetThatFailsKeepsItsAddresses() throws Exception {
    server
        .service(NAME, 300, 10, 7, 8081, "one.test")
        .service(NAME, 300, 10, 5, 8082, "two.test")
        .address("two.test", 300, "192.0.2.2");
    Answer answer =
        ask(
            List.of(
                service("one.test.", "192.0.2.1", 80, 1, 1),
                service("gone.test.", "192.0.2.9", 80, 1, 1)));
    assertEquals(
        List.of(
            service("one.test.", "192.0.2.1", 8081, 10, 7),
            service("two.test.", "192.0.2.2", 8082, 10, 5)),
        answer.services());
    assertTrue(String.valueOf(answer.failure()).startsWith("target one.test.: "), answer::toString);
  }

  @Test
  void failsIfNoTargetResolves() throws Exception {
    server.service(NAME, 300, 10, 5, 8081, "one.test").service(NAME, 300, 10, 5, 80, "two.test");
    Answer answer = ask();
    assertEquals(List.of(), answer.addresses());
    assertEquals("NXDOMAIN", answer.rcode());
    assertTrue(
        String.valueOf(answer.failure()).startsWith("target two.test.: ")
            || String.valueOf(answer.failure()).startsWith("target one.test.: "),
        answer::toString);
  }

  @Test
  void skipsRecordsThatAreDamagedOrNameNoHost() throws Exception {
    byte[] loop = {(byte) 0xc0, (byte) 0xff};
    server
        .service(NAME, 300, 1, 1, 0, "one.test")
        .service(NAME, 300, 1, 1, 80, "one\r\n.test")
        .service(NAME, 300, 1, 1, 80, "one test")
        .add(NAME, ScriptedNameServer.SRV, 300, new byte[] {0, 1, 0, 1, 0, 80})
        .add(NAME, ScriptedNameServer.SRV, 300, new byte[] {0, 1})
        .add(NAME, ScriptedNameServer.SRV, 300, ScriptedNameServer.service(1, 1, 80, loop))
        .service(NAME, 300, 1, 1, 80, "one.test")
        .service(NAME, 300, 1, 1, 80, "one.test")
        .address("one.test", 300, "192.0.2.1");
    assertEquals(List.of(service("one.test.", "192.0.2.1", 80, 1, 1)), ask().services());
    assertTrue(
        server.questions.stream()
            .allMatch(question -> question.matches("\\d+ (_http._tcp.a|one).test")),
        server.questions::toString);
  }

  @Test
  void ofThousandsOfRecordsTheFirstByPriorityAreUsed() throws Exception {
    int all = 2000;
    for (int i = 0; i < all; i++) {
      server.service(NAME, 300, all - i, 1, 80, "t" + i + ".test");
      server.address("t" + i + ".test", 300, "192.0.2." + i % 250);
    }
    Answer answer = ask();
    assertEquals(ServiceLookup.MAX_RECORDS, answer.services().size());
    assertEquals("t1999.test.", answer.services().getFirst().target());
    long asked =
        server.questions.stream().filter(question -> !question.endsWith(NAME)).distinct().count();
    assertEquals(2 * ServiceLookup.MAX_RECORDS, asked);
  }

  @Test
  void ofManyAddressesOfATargetTheFirstAreUsed() throws Exception {
    server.service(NAME, 300, 1, 1, 80, "one.test");
    for (int i = 0; i < 200; i++) {
      server.address("one.test", 300, "192.0.2." + i);
    }
    assertEquals(ServiceLookup.MAX_TARGET_ADDRESSES, ask().services().size());
  }

  @Test
  void aCircleOfAliasesEnds() throws Exception {
    server
        .add(NAME, ScriptedNameServer.CNAME, 300, ScriptedNameServer.name("_http._tcp.b.test"))
        .add("_http._tcp.b.test", ScriptedNameServer.CNAME, 300, ScriptedNameServer.name(NAME));
    Answer answer = ask();
    assertEquals(List.of(), answer.services());
    assertTrue(answer.failure() != null);
    assertTrue(server.questions.size() <= 40, server.questions::toString);
  }

  @Test
  void aTargetThatIsACircleOfAliasesDoesNotHoldUpTheOthers() throws Exception {
    server
        .service(NAME, 300, 1, 1, 80, "loop.test")
        .service(NAME, 300, 1, 1, 80, "one.test")
        .add("loop.test", ScriptedNameServer.CNAME, 300, ScriptedNameServer.name("loop.test"))
        .address("one.test", 300, "192.0.2.1");
    assertEquals(List.of(service("one.test.", "192.0.2.1", 80, 1, 1)), ask().services());
  }

  private Answer ask() throws Exception {
    return ask(List.of());
  }

  private Answer ask(List<ServiceAddress> before) throws Exception {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    thread.execute(() -> lookup.lookup(NameResolver.SRV + NAME, before, answer::complete));
    return answer.get(50, TimeUnit.SECONDS);
  }

  private static ServiceAddress service(
      String target, String address, int port, int priority, int weight) throws IOException {
    return new ServiceAddress(target, InetAddress.getByName(address), port, priority, weight);
  }
}
