package io.forebay.lab.load;

/** One second at a client, in a form that adds up. For one thread. */
public final class SecondCounts {
  private final int second;
  private final LatencyHistogram lastByte = new LatencyHistogram();
  private long requests;
  private long bodyBytes;
  private long errors;

  public SecondCounts(int second) {
    this.second = second;
  }

  public void request(long lastByteNanos) {
    requests++;
    lastByte.record(lastByteNanos);
  }

  public void bytes(long more) {
    bodyBytes += more;
  }

  public void error() {
    errors++;
  }

  public void add(SecondCounts other) {
    requests += other.requests;
    bodyBytes += other.bodyBytes;
    errors += other.errors;
    lastByte.add(other.lastByte);
  }

  void add(ClientLines.Second other) {
    requests += other.requests();
    bodyBytes += other.bodyBytes();
    errors += other.errors();
    lastByte.add(LatencyHistogram.decoded(other.lastByte()));
  }

  public int second() {
    return second;
  }

  public long requests() {
    return requests;
  }

  public long bodyBytes() {
    return bodyBytes;
  }

  public long errors() {
    return errors;
  }

  LatencyHistogram lastByte() {
    return lastByte;
  }

  LoadOutcome.Second outcome() {
    return new LoadOutcome.Second(
        second, requests, bodyBytes, errors, lastByte.percentileMillis(99));
  }
}
