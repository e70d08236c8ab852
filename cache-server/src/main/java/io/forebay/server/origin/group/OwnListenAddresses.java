package io.forebay.server.origin.group;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whether an address is one that this node listens on. A listener on all addresses covers
 * every address of the machine; another thread reads those periodically, because event loops call
 * this class. Any thread.
 */
public final class OwnListenAddresses implements Predicate<InetSocketAddress> {
  private static final Logger LOG = LoggerFactory.getLogger(OwnListenAddresses.class);
  private static final long FRESH_NANOS = 10_000_000_000L;

  private final Supplier<List<InetSocketAddress>> bound;
  private final Supplier<Set<InetAddress>> machine;
  private final Executor reader;
  private final LongSupplier clockNanos;
  private final AtomicBoolean isReading = new AtomicBoolean();
  private volatile Set<InetAddress> addresses;
  private volatile long readNanos;

  /**
   * Reads the machine's addresses once.
   *
   * @param bound where this node listens now
   * @param machine the machine's addresses; may take a while
   * @param reader runs that later
   * @param clockNanos a clock that only goes on
   */
  public OwnListenAddresses(
      Supplier<List<InetSocketAddress>> bound,
      Supplier<Set<InetAddress>> machine,
      Executor reader,
      LongSupplier clockNanos) {
    this.bound = bound;
    this.machine = machine;
    this.reader = reader;
    this.clockNanos = clockNanos;
    this.addresses = machine.get();
    this.readNanos = clockNanos.getAsLong();
  }

  /** The addresses of all interfaces; empty where they cannot be read. */
  public static Set<InetAddress> ofMachine() {
    try {
      return NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .collect(Collectors.toUnmodifiableSet());
    } catch (SocketException e) {
      LOG.warn("the machine's addresses cannot be read: {}", e.getMessage());
      return Set.of();
    }
  }

  @Override
  public boolean test(InetSocketAddress address) {
    for (InetSocketAddress own : bound.get()) {
      if (own.getPort() == address.getPort() && isAt(own.getAddress(), address.getAddress())) {
        return true;
      }
    }
    return false;
  }

  private boolean isAt(InetAddress own, InetAddress asked) {
    if (!own.isAnyLocalAddress()) {
      return own.equals(asked);
    }
    return asked.isLoopbackAddress() || asked.isAnyLocalAddress() || current().contains(asked);
  }

  private Set<InetAddress> current() {
    if (clockNanos.getAsLong() - readNanos > FRESH_NANOS && isReading.compareAndSet(false, true)) {
      reader.execute(() -> {
        try {
          addresses = machine.get();
          readNanos = clockNanos.getAsLong();
        } finally {
          isReading.set(false);
        }
      });
    }
    return addresses;
  }
}
