package io.forebay.server.protect;

import org.jspecify.annotations.Nullable;

/** What becomes of a request of a route that asks for a password. */
public sealed interface Authentication {

  /** The request is admitted: at once, or as told later. */
  record Admitted() implements Authentication {}

  /** It is refused. */
  record Refused(Refusal refusal) implements Authentication {}

  /** Its password is being verified; the listener will be told. */
  record Pending() implements Authentication {}

  /** Told once, on any thread, after {@link Pending}. */
  interface Listener {

    /** Whether anybody still waits for it; any thread, and possibly a moment late. */
    boolean isWaiting();

    /**
     * The password was verified.
     *
     * @param refusal null where the request is admitted
     */
    void onKnown(@Nullable Refusal refusal);
  }
}
