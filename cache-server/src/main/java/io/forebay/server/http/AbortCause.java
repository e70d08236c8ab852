package io.forebay.server.http;

/** Why a response that has begun is aborted; determines the counter and the log field. */
public enum AbortCause {
  /** The origin's body ended early or its connection failed. */
  ORIGIN_FAILED,
  /** Stored bytes were reclaimed before a slow reader reached them. */
  STORAGE_LOST,
  /**
   * The origin has another body by now than the stored one whose missing slices it was asked for.
   */
  BODY_CHANGED,
  /** The client made no progress for too long, or its private copies passed the bound. */
  CLIENT_STALLED,
  /** The other side of a tunnel is gone. */
  TUNNEL_BROKEN,
  /** The process is stopping and the drain time is over. */
  SHUTDOWN,
  /** A defect of ours; logged with its stack. */
  INTERNAL
}
