package io.forebay.server.counters;

/** One event loop's counters of QUIC and HTTP/3; written and read as {@link LoopCounters}. */
public final class Http3Counters {
  /** Handshakes begun, and those of them that succeeded. */
  public long handshakes;

  public long established;

  /** Clients asked to show that they are where they claim to be. */
  public long retries;

  /** Tokens brought back that were not ours, not for that address, or too old. */
  public long badTokens;

  /** Connections whose client has moved to another address. */
  public long migrations;

  /** Streams broken off by clients, or by their faults. */
  public long resets;
}
