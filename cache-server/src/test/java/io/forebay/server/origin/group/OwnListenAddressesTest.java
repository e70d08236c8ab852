package io.forebay.server.origin.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class OwnListenAddressesTest {
  private final List<InetSocketAddress> bound = new ArrayList<>();
  private final Deque<Runnable> later = new ArrayDeque<>();
  private Set<InetAddress> machine = Set.of(InetAddress.ofLiteral("192.0.2.1"));
  private long nanos;
  private final OwnListenAddresses own =
      new OwnListenAddresses(() -> bound, () -> machine, later::add, () -> nanos);

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  @Test
  void aListenerOnOneAddressIsThereAlone() {
    bound.add(at("192.0.2.1", 80));
    assertTrue(own.test(at("192.0.2.1", 80)));
    assertTrue(own.test(at("::ffff:192.0.2.1", 80)));
    assertFalse(own.test(at("192.0.2.1", 81)));
    assertFalse(own.test(at("192.0.2.2", 80)));
    assertFalse(own.test(at("127.0.0.1", 80)));
  }

  @Test
  void aListenerOnAllAddressesIsOnEachOfTheMachines() {
    for (String all : List.of("0.0.0.0", "::")) {
      bound.clear();
      bound.add(at(all, 443));
      for (String address : List.of("192.0.2.1", "127.0.0.1", "127.8.8.8", "::1", "0.0.0.0")) {
        assertTrue(own.test(at(address, 443)), all + " " + address);
        assertFalse(own.test(at(address, 444)), all + " " + address);
      }
      assertFalse(own.test(at("192.0.2.2", 443)));
    }
  }

  @Test
  void anAddressThatTheMachineGetsLaterIsSeen() {
    bound.add(at("0.0.0.0", 443));
    machine = Set.of(InetAddress.ofLiteral("192.0.2.9"));
    assertFalse(own.test(at("192.0.2.9", 443)));
    assertEquals(0, later.size());
    nanos += TimeUnit.SECONDS.toNanos(11);
    assertFalse(own.test(at("192.0.2.9", 443)), "the loop does not read by itself");
    assertFalse(own.test(at("192.0.2.9", 443)));
    assertEquals(1, later.size(), "read once at a time");
    later.remove().run();
    assertTrue(own.test(at("192.0.2.9", 443)));
  }
}
