package io.forebay.server.compress;

import io.forebay.server.compress.Compressors.Use;
import java.util.concurrent.atomic.LongAdder;

/** What the encoders did so far; written and read by any thread. */
public final class CodingCounters {
  private static final int USES = Use.values().length;
  private static final int CODINGS = ContentCoding.values().length;

  private final LongAdder[] begun = adders(USES * CODINGS);
  private final LongAdder[] decoded = adders(CODINGS);
  private final LongAdder[] refused = adders(USES);
  private final LongAdder[] failed = adders(USES);
  private final LongAdder[] bytesIn = adders(USES);
  private final LongAdder[] bytesOut = adders(USES);
  private final LongAdder[] nanos = adders(USES);

  private static LongAdder[] adders(int count) {
    LongAdder[] adders = new LongAdder[count];
    for (int i = 0; i < count; i++) {
      adders[i] = new LongAdder();
    }
    return adders;
  }

  void begin(Use use, ContentCoding coding, boolean isDecoded) {
    (isDecoded ? decoded[coding.ordinal()] : begun[use.ordinal() * CODINGS + coding.ordinal()])
        .increment();
  }

  void refuse(Use use) {
    refused[use.ordinal()].increment();
  }

  void fail(Use use) {
    failed[use.ordinal()].increment();
  }

  void worked(Use use, long in, long out, long spentNanos) {
    bytesIn[use.ordinal()].add(in);
    bytesOut[use.ordinal()].add(out);
    nanos[use.ordinal()].add(spentNanos);
  }

  /** Bodies that were begun to be encoded. */
  public long begun(Use use, ContentCoding coding) {
    return begun[use.ordinal() * CODINGS + coding.ordinal()].sum();
  }

  /** Bodies that were begun to be decoded. */
  public long decoded(ContentCoding coding) {
    return decoded[coding.ordinal()].sum();
  }

  /** Bodies that found no place. */
  public long refused(Use use) {
    return refused[use.ordinal()].sum();
  }

  /** Bodies that broke off because of what the codec found in them. */
  public long failed(Use use) {
    return failed[use.ordinal()].sum();
  }

  public long bytesIn(Use use) {
    return bytesIn[use.ordinal()].sum();
  }

  public long bytesOut(Use use) {
    return bytesOut[use.ordinal()].sum();
  }

  /** Time that the threads of the pool were at it. */
  public long nanos(Use use) {
    return nanos[use.ordinal()].sum();
  }
}
