package io.forebay.server.origin.dns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.origin.dns.NameResolver.Resolution;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The resolver on an event loop whose time the test controls. */
@Timeout(60)
class CachingNameResolverTest {
  private final EmbeddedChannel time = new EmbeddedChannel();
  private final ScriptedLookup lookup = new ScriptedLookup();
  private final CachingNameResolver resolver =
      new CachingNameResolver(time.eventLoop(), lookup, null);

  @AfterEach
  void close() {
    time.close();
  }

  @Test
  void asksOnceForEveryoneWhoWaits() throws Exception {
    List<Resolution> first = resolve("a");
    List<Resolution> second = resolve("a");
    assertEquals(List.of("a"), lookup.asked);
    lookup.answer(found(60, "192.0.2.1"));
    time.runPendingTasks();
    assertEquals(List.of(addresses("192.0.2.1")), addresses(first));
    assertEquals(List.of(addresses("192.0.2.1")), addresses(second));
  }

  @Test
  void remembersForAsLongAsTheServerSays() throws Exception {
    learn("a", 30, "192.0.2.1");
    pass(29);
    assertEquals(1, resolve("a").size());
    assertEquals(1, lookup.asked.size());
    pass(2);
    assertEquals(0, resolve("a").size());
    assertEquals(2, lookup.asked.size());
  }

  @Test
  void remembersForASecondAtLeast() throws Exception {
    learn("a", 0, "192.0.2.1");
    time.advanceTimeBy(900, TimeUnit.MILLISECONDS);
    assertEquals(1, resolve("a").size());
    time.advanceTimeBy(200, TimeUnit.MILLISECONDS);
    assertEquals(0, resolve("a").size());
  }

  @Test
  void remembersForFiveMinutesAtMost() throws Exception {
    learn("a", 86_400, "192.0.2.1");
    pass(299);
    assertEquals(1, resolve("a").size());
    pass(2);
    assertEquals(0, resolve("a").size());
    assertEquals(2, lookup.asked.size());
  }

  @Test
  void remembersAFailureForASecondOnly() throws Exception {
    List<Resolution> first = resolve("a");
    lookup.answer(NameLookup.Answer.failed("no such name", "NXDOMAIN"));
    time.runPendingTasks();
    assertEquals("no such name", first.getFirst().failure());
    List<Resolution> second = resolve("a");
    assertEquals("no such name", second.getFirst().failure());
    assertEquals(1, lookup.asked.size());
    time.advanceTimeBy(1_100, TimeUnit.MILLISECONDS);
    List<Resolution> third = resolve("a");
    lookup.answer(found(60, "192.0.2.1"));
    time.runPendingTasks();
    assertEquals(List.of(addresses("192.0.2.1")), addresses(third));
    assertNull(third.getFirst().failure());
  }

  @Test
  void keepsTheLastGoodAnswerWhileTheServerFails() throws Exception {
    learn("a", 10, "192.0.2.1");
    pass(11);
    List<Resolution> first = resolve("a");
    lookup.answer(NameLookup.Answer.failed("server failure", null));
    time.runPendingTasks();
    assertEquals(List.of(addresses("192.0.2.1")), addresses(first));
    assertEquals("server failure", first.getFirst().failure());
    pass(5);
    // Known to fail: the answer comes at once, and the question goes out beside it.
    assertEquals(List.of(addresses("192.0.2.1")), addresses(resolve("a")));
    assertEquals(3, lookup.asked.size());
    lookup.answer(found(60, "192.0.2.2"));
    time.runPendingTasks();
    assertEquals(List.of(addresses("192.0.2.2")), addresses(resolve("a")));
  }

  @Test
  void doesNotWaitLongForAServerThatFallsSilentWhenThereIsALastGoodAnswer() throws Exception {
    learn("a", 10, "192.0.2.1");
    pass(11);
    List<Resolution> answer = resolve("a");
    assertEquals(0, answer.size());
    time.advanceTimeBy(1_100, TimeUnit.MILLISECONDS);
    time.runScheduledPendingTasks();
    time.runPendingTasks();
    assertEquals(List.of(addresses("192.0.2.1")), addresses(answer));
    // The late answer is used for the next one.
    lookup.answer(found(60, "192.0.2.2"));
    time.runPendingTasks();
    assertEquals(List.of(addresses("192.0.2.2")), addresses(resolve("a")));
    assertEquals(1, answer.size());
  }

  @Test
  void aWatchedNameHealsWithoutARequest() throws Exception {
    resolver.watch(Set.of("a"));
    resolver.refreshWatchedNames();
    time.runPendingTasks();
    assertEquals(List.of("a"), lookup.asked);
    assertNull(resolver.latest("a"));
    lookup.answer(NameLookup.Answer.failed("no such name", "NXDOMAIN"));
    Resolution failed = resolver.latest("a");
    assertNotNull(failed);
    assertEquals("no such name", failed.failure());
    assertEquals("NXDOMAIN", failed.rcode());
    turn(2_100);
    assertEquals(2, lookup.asked.size());
    lookup.answer(found(60, "192.0.2.1"));
    Resolution healed = resolver.latest("a");
    assertNotNull(healed);
    assertNull(healed.failure());
    assertEquals(addresses("192.0.2.1"), healed.addresses());
  }

  @Test
  void aWatchedNameIsNotAskedForMoreOftenThanNeeded() throws Exception {
    resolver.watch(Set.of("a"));
    resolver.refreshWatchedNames();
    time.runPendingTasks();
    lookup.answer(found(1, "192.0.2.1"));
    for (int i = 0; i < 9; i++) {
      turn(1_000);
    }
    assertEquals(1, lookup.asked.size());
    turn(2_100);
    assertEquals(2, lookup.asked.size());
  }

  @Test
  void forgetsNamesThatAreNoLongerConfigured() throws Exception {
    learn("a", 60, "192.0.2.1");
    resolver.watch(Set.of("b"));
    time.runPendingTasks();
    assertNull(resolver.latest("a"));
    assertTrue(lookup.asked.contains("b"));
  }

  private void learn(String name, long ttlSeconds, String address) throws Exception {
    resolve(name);
    lookup.answer(found(ttlSeconds, address));
    time.runPendingTasks();
  }

  private List<Resolution> resolve(String name) {
    List<Resolution> answers = new ArrayList<>();
    resolver.resolve(name, time.eventLoop(), answers::add);
    time.runPendingTasks();
    return answers;
  }

  private void pass(long seconds) {
    time.advanceTimeBy(seconds, TimeUnit.SECONDS);
  }

  private void turn(long millis) {
    time.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    time.runScheduledPendingTasks();
    time.runPendingTasks();
  }

  @Test
  void keepsTheAddressesOfAnSrvNameWhileItFailsAndHandsThemToTheNextLookup() throws Exception {
    ServiceAddress one = new ServiceAddress("t.", InetAddress.getByName("192.0.2.1"), 8080, 10, 1);
    resolve("srv:a");
    lookup.answer(NameLookup.Answer.services(List.of(one), 10, null));
    time.runPendingTasks();
    assertEquals(List.of(one), resolve("srv:a").getFirst().services());
    pass(11);
    List<Resolution> failing = resolve("srv:a");
    assertEquals(List.of(one), lookup.before);
    lookup.answer(NameLookup.Answer.failed("server failure", null));
    time.runPendingTasks();
    assertEquals(List.of(one), failing.getFirst().services());
    assertEquals("server failure", failing.getFirst().failure());
  }

  @Test
  void nobodyWaitsForATargetOfAnSrvNameThatFails() throws Exception {
    ServiceAddress one = new ServiceAddress("t.", InetAddress.getByName("192.0.2.1"), 8080, 10, 1);
    resolve("srv:a");
    lookup.answer(NameLookup.Answer.services(List.of(one), 60, "target u.: timeout"));
    time.runPendingTasks();
    pass(2);
    List<Resolution> next = resolve("srv:a");
    assertEquals(List.of(one), next.getFirst().services());
    assertEquals("target u.: timeout", next.getFirst().failure());
    assertEquals(2, lookup.asked.size());
  }

  @Test
  void forgetsTheAddressesOfAnSrvNameThatSaysThatThereIsNoService() throws Exception {
    ServiceAddress one = new ServiceAddress("t.", InetAddress.getByName("192.0.2.1"), 8080, 10, 1);
    resolve("srv:a");
    lookup.answer(NameLookup.Answer.services(List.of(one), 10, null));
    time.runPendingTasks();
    pass(11);
    List<Resolution> withdrawn = resolve("srv:a");
    lookup.answer(NameLookup.Answer.withdrawn("no such service"));
    time.runPendingTasks();
    assertEquals(List.of(new Resolution(List.of(), "no such service", null, List.of())), withdrawn);
  }

  private static NameLookup.Answer found(long ttlSeconds, String address) throws Exception {
    return NameLookup.Answer.found(addresses(address), ttlSeconds);
  }

  private static List<InetAddress> addresses(String address) throws UnknownHostException {
    return List.of(InetAddress.getByName(address));
  }

  private static List<List<InetAddress>> addresses(List<Resolution> resolutions) {
    return resolutions.stream().map(Resolution::addresses).toList();
  }

  private static final class ScriptedLookup implements NameLookup {
    final List<String> asked = new ArrayList<>();
    List<ServiceAddress> before = List.of();
    private final ArrayDeque<Consumer<Answer>> open = new ArrayDeque<>();

    @Override
    public void lookup(String name, List<ServiceAddress> before, Consumer<Answer> done) {
      asked.add(name);
      this.before = before;
      open.add(done);
    }

    void answer(Answer answer) {
      open.remove().accept(answer);
    }
  }
}
