package io.forebay.lab.load;

import io.forebay.lab.result.Latency;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * Times of requests in nanoseconds, from a microsecond to an hour, within a thousandth. Histograms
 * of many clients add up without loss. For one thread.
 */
public final class LatencyHistogram {
  private static final long LEAST = 1_000;
  private static final long MOST = 3_600_000_000_000L;
  private static final int DIGITS = 3;
  private static final double MILLI = 1e6;

  private final Histogram histogram;

  public LatencyHistogram() {
    this(new Histogram(LEAST, MOST, DIGITS));
  }

  private LatencyHistogram(Histogram histogram) {
    this.histogram = histogram;
  }

  /** Counts a time; what lies outside the range counts as its end. */
  public void record(long nanos) {
    histogram.recordValue(Math.clamp(nanos, 0, MOST));
  }

  public void add(LatencyHistogram other) {
    histogram.add(other.histogram);
  }

  public void clear() {
    histogram.reset();
  }

  public long count() {
    return histogram.getTotalCount();
  }

  public double percentileMillis(double percentile) {
    return count() == 0 ? 0 : histogram.getValueAtPercentile(percentile) / MILLI;
  }

  public Latency latency() {
    return count() == 0
        ? Latency.NONE
        : new Latency(
            count(),
            histogram.getMean() / MILLI,
            percentileMillis(50),
            percentileMillis(99),
            percentileMillis(99.9),
            histogram.getMaxValue() / MILLI);
  }

  /** As text, compressed. */
  String encoded() {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
  }

  /**
   * The histogram that was encoded.
   *
   * @throws IllegalArgumentException when the text is none
   */
  static LatencyHistogram decoded(String text) {
    try {
      Histogram histogram =
          Histogram.decodeFromCompressedByteBuffer(
              ByteBuffer.wrap(Base64.getDecoder().decode(text)), MOST);
      LatencyHistogram decoded = new LatencyHistogram();
      decoded.histogram.add(histogram);
      return decoded;
    } catch (DataFormatException | RuntimeException e) {
      throw new IllegalArgumentException("no histogram: " + e.getMessage(), e);
    }
  }
}
