package io.forebay.server.accesslog;

import io.forebay.server.ring.RingWriter;
import org.jspecify.annotations.Nullable;

/**
 * Where an event loop notes the requests that have ended: in the access log, in the request ring,
 * in both or in neither. Confined to its loop.
 */
public final class RequestLog {
  public static final RequestLog OFF = new RequestLog(AccessLogRing.OFF, null);

  private final AccessLogRing lines;
  private final @Nullable RingRecorder ring;

  private RequestLog(AccessLogRing lines, @Nullable RingRecorder ring) {
    this.lines = lines;
    this.ring = ring;
  }

  static RequestLog of(
      AccessLogRing lines, @Nullable RingWriter writer, RecordPrivacy privacyOfRing) {
    return new RequestLog(lines, writer == null ? null : new RingRecorder(writer, privacyOfRing));
  }

  /** Whether it is worth putting an event together. */
  public boolean isEnabled() {
    return lines.isEnabled() || ring != null;
  }

  /** Whether there is an access log, which alone has what routes log in addition. */
  public boolean hasLines() {
    return lines.isEnabled();
  }

  /** Takes a copy of the event. */
  public void record(AccessEvent event) {
    lines.record(event);
    if (ring != null) {
      ring.record(event);
    }
  }
}
