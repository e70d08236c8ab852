package io.forebay.server.accesslog;

import io.forebay.server.config.LogSampling;
import io.forebay.server.ring.RecordEncoder;
import io.forebay.server.ring.RingText;
import io.forebay.server.ring.RingWriter;

/**
 * Writes events into the ring of a loop: all of them, whatever the access log samples, without what
 * the route drops and with secrets masked, as a line of the log would have them. Allocates nothing.
 */
final class RingRecorder {
  private final AccessRecord record = new AccessRecord();
  private final RecordEncoder encoder = new RecordEncoder();
  private final RingWriter writer;
  private final RecordPrivacy privacy;

  RingRecorder(RingWriter writer, RecordPrivacy privacy) {
    this.writer = writer;
    this.privacy = privacy;
  }

  void record(AccessEvent event) {
    record.fill(event, LogSampling.ALL);
    privacy.apply(record);
    encoder.begin(
        record.epochMillis,
        record.durationNanos,
        record.firstByteNanos,
        record.fetchNanos,
        record.bytes,
        event.fill(),
        record.status,
        record.cache,
        record.isTruncated);
    encoder.text(RingText.METHOD, record.method);
    encoder.text(RingText.SCHEME, record.scheme);
    wire(RingText.HOST, AccessRecord.HOST);
    wire(RingText.PATH, AccessRecord.PATH);
    wire(RingText.QUERY, AccessRecord.QUERY);
    encoder.text(RingText.PROTOCOL, record.protocol);
    encoder.text(RingText.CLIENT, record.client);
    encoder.text(RingText.ROUTE, record.route);
    encoder.text(RingText.ORIGIN, record.origin);
    encoder.text(RingText.REASON, record.reason);
    wire(RingText.REQUEST_ID, AccessRecord.REQUEST_ID);
    wire(RingText.USER_AGENT, AccessRecord.USER_AGENT);
    wire(RingText.REFERER, AccessRecord.REFERER);
    encoder.text(RingText.CODING, record.coding);
    wire(RingText.ERROR, AccessRecord.ERROR);
    encoder.text(RingText.ABORT, record.abort);
    writer.append(encoder);
  }

  private void wire(RingText text, int field) {
    int length = record.lengths[field];
    if (length >= 0) {
      encoder.text(text, record.text, AccessRecord.offset(field), length);
    }
  }
}
