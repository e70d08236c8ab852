package io.forebay.server.audit;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One action, or the attempt of one.
 *
 * @param action what it is called: the path of the admin API without version, or the name of a
 *     signal or method
 * @param parameters what was said of it: JSON or another text, of any length; not masked
 * @param result what came of it
 * @param status of the response, or 0 where there is none
 * @param answer the body of the response, or null
 * @param tookNanos how long it took
 * @param suppressed refused attempts before this one that have no line
 */
@SuppressWarnings("ArrayRecordComponent") // Made, written once, thrown away.
public record AuditEvent(
    AuditActor actor,
    String action,
    byte @Nullable [] parameters,
    Result result,
    int status,
    byte @Nullable [] answer,
    long tookNanos,
    long suppressed) {

  /** What came of an action. */
  public enum Result {
    DONE,
    REFUSED,
    FAILED
  }

  /** An action that has no response. */
  public static AuditEvent of(AuditActor actor, String action, String parameters, Result result) {
    return new AuditEvent(
        actor, action, parameters.getBytes(StandardCharsets.UTF_8), result, 0, null, 0, 0);
  }
}
