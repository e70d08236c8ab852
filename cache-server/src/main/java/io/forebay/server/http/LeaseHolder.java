package io.forebay.server.http;

/** Who sent a leased chunk; told on the owning loop what becomes of it. */
public interface LeaseHolder {

  /** The socket has taken the chunk, or the channel has given it up. */
  void onLeaseReleased();

  /** The socket stalls: the chunk goes on from a private copy. */
  void onCopied();

  /**
   * The socket stalls and the bound on private copies is reached: the response must be broken off.
   */
  void onCopyRefused();
}
