package io.forebay.server.protect;

import io.forebay.core.http.HeaderFields;
import java.util.Map;

/** What becomes of a request of a route that asks for credentials. */
public sealed interface Authentication {

  /** The request is admitted, and nothing is known of its client. */
  Admitted ADMITTED = new Admitted(HeaderFields.EMPTY, Map.of());

  /**
   * The request is admitted.
   *
   * @param fields that it gets from the check
   * @param claims of its verified token, which limits count by
   */
  record Admitted(HeaderFields fields, Map<String, String> claims) implements Authentication {}

  /** It is refused. */
  record Refused(Refusal refusal) implements Authentication {}

  /** Its credentials are being verified; the listener will be told. */
  record Pending() implements Authentication {}

  /** Told once, on any thread, after {@link Pending}. */
  interface Listener {

    /** Whether anybody still waits for it; any thread, and possibly a moment late. */
    boolean isWaiting();

    /**
     * The credentials were verified.
     *
     * @param outcome never {@link Pending}
     */
    void onKnown(Authentication outcome);
  }
}
