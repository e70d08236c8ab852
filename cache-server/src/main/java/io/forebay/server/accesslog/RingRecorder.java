package io.forebay.server.accesslog;

import io.forebay.server.config.RouteLog;
import io.forebay.server.config.RouteLog.Part;
import io.forebay.server.ring.RecordEncoder;
import io.forebay.server.ring.RingText;
import io.forebay.server.ring.RingWriter;

/**
 * Writes events into the ring of a loop: all of them, whatever the access log samples, without what
 * the route drops and with secrets masked, as a line of the log would have them. Each text is
 * copied once and masked where it lies then. Allocates nothing.
 */
final class RingRecorder {
  private final RecordEncoder encoder = new RecordEncoder();
  private final RingWriter writer;
  private final RecordPrivacy privacy;

  RingRecorder(RingWriter writer, RecordPrivacy privacy) {
    this.writer = writer;
    this.privacy = privacy;
  }

  void record(AccessEvent event) {
    encoder.begin(
        event.epochMillis(),
        event.durationNanos(),
        event.firstByteNanos(),
        event.fetchNanos(),
        event.bytes(),
        event.fill(),
        event.status(),
        event.cache());
    RouteLog rules = event.rules();
    encoder.text(RingText.METHOD, event.method());
    encoder.text(RingText.SCHEME, event.scheme());
    if (!rules.drops(Part.HOST)) {
      encoder.text(RingText.HOST, event.host());
    }
    encoder.text(RingText.PATH, event.path());
    encoder.mask(privacy.mask(), false);
    CharSequence query = rules.drops(Part.QUERY) ? null : event.query();
    if (query != null) {
      encoder.text(RingText.QUERY, query);
      encoder.mask(privacy.mask(), true);
    }
    encoder.text(RingText.PROTOCOL, event.protocol());
    if (!rules.drops(Part.CLIENT)) {
      encoder.text(RingText.CLIENT, privacy.client(event.client()));
    }
    encoder.text(RingText.ROUTE, event.route());
    encoder.text(RingText.ORIGIN, event.origin());
    encoder.text(RingText.REASON, event.reason());
    encoder.text(RingText.REQUEST_ID, event.requestId());
    if (!rules.drops(Part.USER_AGENT)) {
      encoder.text(RingText.USER_AGENT, event.userAgent());
    }
    CharSequence referer = rules.drops(Part.REFERER) ? null : event.referer();
    if (referer != null) {
      encoder.text(RingText.REFERER, referer);
      encoder.mask(privacy.mask(), false);
    }
    encoder.text(RingText.CODING, event.coding());
    encoder.text(RingText.ERROR, event.error());
    encoder.text(RingText.ABORT, event.abort());
    writer.append(encoder);
  }
}
