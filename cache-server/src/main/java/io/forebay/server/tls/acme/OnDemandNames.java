package io.forebay.server.tls.acme;

import io.forebay.server.tls.OnDemandCertificates;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The names that handshakes ask certificates for, between the event loops, which ask and wait, and
 * the thread of {@link CertificateManager}, which answers. Any thread.
 */
final class OnDemandNames implements OnDemandCertificates {

  private final LongSupplier clockMillis;
  private final AcmeCounters counters;
  private final Runnable wakeup;
  private final Map<String, CompletableFuture<Void>> requested = new ConcurrentHashMap<>();

  private volatile OnDemandPolicy policy = new OnDemandPolicy(List.of(), 1);
  private volatile Set<String> known = Set.of();
  private volatile boolean isClosed;

  /**
   * Without names that may be asked for.
   *
   * @param wakeup called when a name has been asked for
   */
  OnDemandNames(LongSupplier clockMillis, AcmeCounters counters, Runnable wakeup) {
    this.clockMillis = clockMillis;
    this.counters = counters;
    this.wakeup = wakeup;
  }

  void policy(OnDemandPolicy next) {
    policy = next;
  }

  /** The names that are cared for already: nobody waits for them. */
  void known(Set<String> names) {
    known = names;
  }

  boolean matches(String name) {
    return policy.matches(name);
  }

  /** The names that handshakes wait for now. */
  Set<String> requested() {
    return requested.keySet();
  }

  @Override
  public @Nullable CompletionStage<?> request(String serverName) {
    OnDemandPolicy asked = policy;
    if (isClosed || !asked.matches(serverName)) {
      return null;
    }
    CompletableFuture<Void> waiting = requested.get(serverName);
    if (waiting != null) {
      return waiting;
    }
    Set<String> current = known;
    if (current.contains(serverName)) {
      // It fails, or backs off.
      return null;
    }
    if (current.size() + requested.size() >= OnDemandPolicy.MAX_NAMES
        || !asked.admit(clockMillis.getAsLong())) {
      counters.refusedNames.incrementAndGet();
      return null;
    }
    CompletableFuture<Void> made = new CompletableFuture<>();
    CompletableFuture<Void> other = requested.putIfAbsent(serverName, made);
    wakeup.run();
    return other == null ? made : other;
  }

  /** Lets the handshakes that wait for a name go on. */
  void answer(String name) {
    CompletableFuture<Void> waiting = requested.remove(name);
    if (waiting != null) {
      waiting.complete(null);
    }
  }

  void answerAll() {
    List.copyOf(requested.keySet()).forEach(this::answer);
  }

  /** Nobody waits any more. */
  void close() {
    isClosed = true;
    answerAll();
  }
}
