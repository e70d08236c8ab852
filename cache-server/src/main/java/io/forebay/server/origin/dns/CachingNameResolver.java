package io.forebay.server.origin.dns;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Caches DNS answers: for their TTL (within limits), and beyond it while the name server fails. Its
 * state belongs to its own thread, because reading the hosts file is disk I/O; other threads read
 * the immutable answers that it publishes.
 *
 * <p>A name is asked about when a connection needs it and its answer has run out, and in the
 * background while it is watched: soon while it does not resolve, so that it heals without a
 * request, seldom while it does.
 */
public final class CachingNameResolver implements NameResolver, AutoCloseable {
  private static final long MIN_TTL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_TTL_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long FAILURE_TTL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long WATCH_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Watched names are not asked about more often than this while they resolve. */
  private static final long WATCH_REFRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long a connection waits for news when there is a last good answer to fall back on. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventLoop thread;
  private final NameLookup lookup;
  private final @Nullable MultiThreadIoEventLoopGroup group;

  private final ConcurrentHashMap<String, Published> published = new ConcurrentHashMap<>();

  // Confined to the thread.
  private final Map<String, Entry> entries = new HashMap<>();
  private Set<String> watched = Set.of();

  /** A resolver over a hosts file and name servers, with a thread of its own. */
  public static CachingNameResolver over(NamePlaces places) {
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("names", true), NioIoHandler.newFactory());
    EventLoop thread = group.next();
    CachingNameResolver resolver =
        new CachingNameResolver(thread, new DnsLookup(thread, places), group);
    // Started from here: a thread first started by a loop would inherit that loop's CPU mask.
    thread.execute(resolver::refreshWatchedNames);
    return resolver;
  }

  CachingNameResolver(
      EventLoop thread, NameLookup lookup, @Nullable MultiThreadIoEventLoopGroup group) {
    this.thread = thread;
    this.lookup = lookup;
    this.group = group;
  }

  @Override
  public void resolve(String name, EventExecutor loop, Consumer<Resolution> answer) {
    Published known = published.get(name);
    if (known != null && known.freshUntilNanos - nowNanos() > 0 && loop.inEventLoop()) {
      answer.accept(known.resolution);
      return;
    }
    thread.execute(() -> ask(name, resolution -> loop.execute(() -> answer.accept(resolution))));
  }

  @Override
  public @Nullable Resolution latest(String name) {
    Published known = published.get(name);
    return known == null ? null : known.resolution;
  }

  @Override
  public void watch(Set<String> names) {
    Set<String> copy = Set.copyOf(names);
    thread.execute(() -> {
      watched = copy;
      // Names nobody configures any more are forgotten; what is being asked forgets itself.
      entries.values().removeIf(entry -> !entry.isAsking && !copy.contains(entry.name));
      published.keySet().retainAll(entries.keySet());
      refreshWatched();
    });
  }

  @Override
  public void close() {
    if (group != null) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  /** Looks after watched names, then comes again; on the thread. */
  void refreshWatchedNames() {
    refreshWatched();
    thread.schedule(this::refreshWatchedNames, WATCH_EVERY_NANOS, TimeUnit.NANOSECONDS);
  }

  private void refreshWatched() {
    long now = nowNanos();
    for (String name : watched) {
      Entry entry = entries.computeIfAbsent(name, Entry::new);
      if (!entry.isAsking && entry.isWatchDue(now)) {
        begin(entry);
      }
    }
  }

  private void ask(String name, Consumer<Resolution> answer) {
    Entry entry = entries.computeIfAbsent(name, Entry::new);
    long now = nowNanos();
    if (entry.hasAnswer && entry.freshUntilNanos - now > 0) {
      answer.accept(entry.resolution());
      return;
    }
    if (!entry.lastGood.isEmpty() && entry.failure != null) {
      // The name server is failing: nobody waits to hear that again.
      answer.accept(entry.resolution());
      if (!entry.isAsking) {
        begin(entry);
      }
      return;
    }
    entry.waiting.add(answer);
    if (!entry.isAsking) {
      begin(entry);
    }
    if (!entry.lastGood.isEmpty() && entry.isAsking) {
      thread.schedule(() -> settleFromMemory(entry), PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  private void begin(Entry entry) {
    entry.isAsking = true;
    entry.askedNanos = nowNanos();
    lookup.lookup(entry.name, entry.services, result -> settle(entry, result));
  }

  private void settle(Entry entry, NameLookup.Answer result) {
    long ttlNanos;
    if (result.addresses().isEmpty()) {
      entry.failure = result.failure() == null ? "no address" : result.failure();
      entry.rcode = result.rcode();
      if (result.isWithdrawn()) {
        entry.lastGood = List.of();
        entry.services = List.of();
      }
      ttlNanos = FAILURE_TTL_NANOS;
    } else {
      entry.lastGood = result.addresses();
      entry.services = result.services();
      entry.failure = result.failure();
      entry.rcode = null;
      ttlNanos =
          result.failure() != null
              ? FAILURE_TTL_NANOS
              : Math.clamp(
                  TimeUnit.SECONDS.toNanos(result.ttlSeconds()), MIN_TTL_NANOS, MAX_TTL_NANOS);
    }
    entry.isAsking = false;
    entry.hasAnswer = true;
    entry.freshUntilNanos = nowNanos() + ttlNanos;
    Resolution resolution = entry.resolution();
    published.put(entry.name, new Published(resolution, entry.freshUntilNanos));
    entry.answerAll(resolution);
  }

  private void settleFromMemory(Entry entry) {
    if (entry.isAsking) {
      entry.answerAll(entry.resolution());
    }
  }

  private long nowNanos() {
    return thread.ticker().nanoTime();
  }

  private record Published(Resolution resolution, long freshUntilNanos) {}

  private static final class Entry {
    final String name;
    final List<Consumer<Resolution>> waiting = new ArrayList<>();
    List<InetAddress> lastGood = List.of();
    List<ServiceAddress> services = List.of();
    @Nullable String failure;
    @Nullable String rcode;
    boolean hasAnswer;
    boolean isAsking;
    long askedNanos;
    long freshUntilNanos;

    Entry(String name) {
      this.name = name;
    }

    Resolution resolution() {
      return new Resolution(lastGood, failure, rcode, services);
    }

    boolean isWatchDue(long nowNanos) {
      if (!hasAnswer) {
        return true;
      }
      if (freshUntilNanos - nowNanos > 0) {
        return false;
      }
      return failure != null || nowNanos - askedNanos >= WATCH_REFRESH_NANOS;
    }

    void answerAll(Resolution resolution) {
      List<Consumer<Resolution>> answers = List.copyOf(waiting);
      waiting.clear();
      answers.forEach(answer -> answer.accept(resolution));
    }
  }
}
