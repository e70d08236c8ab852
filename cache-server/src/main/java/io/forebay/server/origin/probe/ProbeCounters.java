package io.forebay.server.origin.probe;

/** Counts of one server's probes: written on the prober's thread, read by any. */
public final class ProbeCounters {
  private volatile long probes;
  private volatile long failures;

  public ProbeCounters() {}

  /** Probes that ended. */
  public long probes() {
    return probes;
  }

  /** Those of them that failed. */
  public long failures() {
    return failures;
  }

  /** By the prober's thread alone. */
  void count(boolean isFailure) {
    long before = probes;
    probes = before + 1;
    if (isFailure) {
      long failed = failures;
      failures = failed + 1;
    }
  }
}
