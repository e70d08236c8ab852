package io.forebay.core.policy;

/** What to do with a request. There is one instance for each kind and reason. */
public sealed interface Decision {

  Reason reason();

  /** Answer from the store; {@link ServePlan} says with what. */
  record Serve(Reason reason) implements Decision {
    /** Whether a background refresh is started. */
    public boolean isRefreshDue() {
      return reason == Reason.HIT_STALE_WHILE_REVALIDATE;
    }
  }

  /** Ask the origin, with the stored validators, whether the stored response is still current. */
  record Revalidate(Reason reason) implements Decision {}

  /** Fetch from the origin and store what may be stored. */
  record Fetch(Reason reason) implements Decision {}

  /** Hand request and response through, storing nothing. */
  record Pass(Reason reason) implements Decision {}

  /** Answer with an error of our own. */
  record Refuse(int status, Reason reason) implements Decision {}

  Serve SERVE_FRESH = new Serve(Reason.HIT_FRESH);
  Serve SERVE_STALE_WHILE_REVALIDATE = new Serve(Reason.HIT_STALE_WHILE_REVALIDATE);
  Serve SERVE_MAX_STALE = new Serve(Reason.HIT_MAX_STALE);

  static Revalidate revalidate(Reason reason) {
    return SharedInstances.of(SharedInstances.REVALIDATE, reason);
  }

  static Fetch fetch(Reason reason) {
    return SharedInstances.of(SharedInstances.FETCH, reason);
  }

  static Pass pass(Reason reason) {
    return SharedInstances.of(SharedInstances.PASS, reason);
  }
}
