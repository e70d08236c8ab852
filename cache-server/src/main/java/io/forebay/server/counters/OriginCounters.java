package io.forebay.server.counters;

/** One event loop's counters of one origin; written and read as {@link LoopCounters}. */
public final class OriginCounters {
  public long requests;
  public long receivedBytes;

  /** Responses whose first byte took longer than half of the configured limit. */
  public long slowResponses;

  /** From sending a request to the head of the response, and to its last byte. */
  public final LatencyHistogram firstByte = new LatencyHistogram();

  public final LatencyHistogram lastByte = new LatencyHistogram();

  /** Requests that went to another origin instead. */
  public long fallbacks;

  /** Times that the circuit opened, and requests that it refused. */
  public long circuitOpened;

  public long circuitRefused;

  private final long[] responses = new long[6];
  private final long[] errors = new long[OriginError.values().length];

  /** The head of a response came. */
  public void countResponse(int status) {
    responses[Math.clamp(status / 100, 0, 5)]++;
  }

  /** Responses of that class of status, 1 to 5. */
  public long responses(int statusClass) {
    return responses[statusClass];
  }

  public void countError(OriginError error) {
    errors[error.ordinal()]++;
  }

  public long errors(OriginError error) {
    return errors[error.ordinal()];
  }
}
