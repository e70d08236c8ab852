package io.forebay.server.listen;

import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listening sockets that are open before the node starts: those of the process that it replaces, or
 * those of a service manager. {@link Listeners} takes what its configuration has a listener for;
 * closing closes the rest. Connections that wait in their queues are kept.
 *
 * <pre>
 *   entry 0, 1, 2 of a listener ──► loop 0, 1, 2
 *   more entries than loops     ──► entry i to loop i modulo loops: no queue is left alone
 *   fewer entries than loops    ──► the others bind (SO_REUSEPORT), or share the one there is
 * </pre>
 */
public final class InheritedSockets implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(InheritedSockets.class);

  /** What a listening socket is. */
  public enum Kind {
    TCP,
    UDP,
    UNIX
  }

  /**
   * One open socket.
   *
   * @param listener the name of the listener that it belongs to
   * @param configured the address in the configuration of who opened it, as {@link #text} has it;
   *     null where a service manager opened it
   */
  public record Entry(String listener, Kind kind, @Nullable String configured, int descriptor) {}

  private final List<Entry> entries;

  public InheritedSockets(List<Entry> entries) {
    this.entries = new ArrayList<>(entries);
  }

  public static InheritedSockets none() {
    return new InheritedSockets(List.of());
  }

  public synchronized boolean isEmpty() {
    return entries.isEmpty();
  }

  synchronized boolean has(ListenerConfig listener, Kind kind) {
    return entries.stream().anyMatch(entry -> fits(entry, listener, kind));
  }

  /** Hands out the sockets of a listener, in their order. The caller owns them from then on. */
  synchronized List<Integer> take(ListenerConfig listener, Kind kind) {
    List<Integer> taken = new ArrayList<>();
    for (Iterator<Entry> left = entries.iterator(); left.hasNext(); ) {
      Entry entry = left.next();
      if (fits(entry, listener, kind)) {
        taken.add(entry.descriptor());
        left.remove();
      }
    }
    return taken;
  }

  /**
   * A predecessor's socket fits if neither name nor configured address has changed, which also
   * holds for port 0. That of a service manager fits by its name, or by where it is bound.
   */
  private static boolean fits(Entry entry, ListenerConfig listener, Kind kind) {
    if (entry.kind() != kind) {
      return false;
    }
    if (entry.configured() != null) {
      return entry.listener().equals(listener.name())
          && entry.configured().equals(text(listener.address()));
    }
    return entry.listener().equals(listener.name())
        || isBoundTo(entry.descriptor(), listener.address());
  }

  private static boolean isBoundTo(int descriptor, Address address) {
    Socket socket = new Socket(descriptor);
    Path file = address.unixFile();
    try {
      if (file != null) {
        return socket.localDomainSocketAddress().path().equals(file.toString());
      }
      InetSocketAddress bound = socket.localAddress();
      return bound != null && bound.equals(Listeners.resolve(address));
    } catch (io.forebay.server.loop.ListenException | RuntimeException e) {
      LOG.debug("descriptor {} is not {}: {}", descriptor, text(address), e.toString());
      return false;
    }
  }

  /** How an address is written in an entry. */
  static String text(Address address) {
    return address.host() + " " + address.port();
  }

  /**
   * Assigns sockets of one listener to loops; an empty list is a loop that has to bind one.
   *
   * @throws IOException where a socket cannot be shared
   */
  static List<List<Integer>> spread(List<Integer> given, int loops) throws IOException {
    List<List<Integer>> spread = new ArrayList<>();
    for (int i = 0; i < loops; i++) {
      spread.add(new ArrayList<>());
    }
    for (int i = 0; i < given.size(); i++) {
      spread.get(i % loops).add(given.get(i));
    }
    if (!given.isEmpty() && given.size() < loops && !isPortShared(given.getFirst())) {
      for (int i = given.size(); i < loops; i++) {
        spread.get(i).add(Descriptors.duplicate(given.get(i % given.size())));
      }
    }
    return spread;
  }

  private static boolean isPortShared(int descriptor) throws IOException {
    return new Socket(descriptor).isReusePort();
  }

  /** Closes what no listener has taken. */
  @Override
  public synchronized void close() {
    for (Entry entry : entries) {
      LOG.info(
          "listening socket of {} ({}): the configuration has no such listener, closing it",
          entry.listener(),
          entry.kind());
      closeQuietly(entry.descriptor());
    }
    entries.clear();
  }

  static void closeQuietly(int descriptor) {
    try {
      new FileDescriptor(descriptor).close();
    } catch (IOException e) {
      LOG.debug("descriptor {}: {}", descriptor, e.toString());
    }
  }
}
