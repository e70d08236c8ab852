package io.forebay.server.tls.acme;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** What the manager counts; metrics read it from any thread. */
public final class AcmeCounters {
  final AtomicLong orders = new AtomicLong();
  final AtomicLong issued = new AtomicLong();
  final AtomicLong refusedNames = new AtomicLong();
  final AtomicLong unconfirmed = new AtomicLong();
  private final AtomicLongArray failures = new AtomicLongArray(AcmeFailure.values().length);

  private final AtomicLongArray shared = new AtomicLongArray(SharedOutcome.values().length);

  volatile Summary summary = new Summary(0, 0, 0);

  /** What became of a certificate that nodes share, as metrics count it. */
  public enum SharedOutcome {
    /** The other nodes can have it. */
    PUBLISHED,
    /** Another node ordered it, and this one uses it. */
    TAKEN,
    /** Another node ordered it, and this one does not use it. */
    REFUSED;

    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * How many names there are.
   *
   * @param withCertificate those with a certificate in use
   * @param failing those whose last attempt failed
   */
  public record Summary(int names, int withCertificate, int failing) {}

  public Summary summary() {
    return summary;
  }

  /** Orders that were begun. */
  public long orders() {
    return orders.get();
  }

  /** Certificates that were obtained. */
  public long issued() {
    return issued.get();
  }

  /** Handshakes for names of {@code on-demand} that a limit kept from an order. */
  public long refusedNames() {
    return refusedNames.get();
  }

  /** Validations that were asked for before all nodes of the cluster had confirmed the answer. */
  public long unconfirmed() {
    return unconfirmed.get();
  }

  void failed(AcmeFailure failure) {
    failures.incrementAndGet(failure.ordinal());
  }

  public long failures(AcmeFailure failure) {
    return failures.get(failure.ordinal());
  }

  void countShared(SharedOutcome outcome) {
    shared.incrementAndGet(outcome.ordinal());
  }

  public long shared(SharedOutcome outcome) {
    return shared.get(outcome.ordinal());
  }
}
