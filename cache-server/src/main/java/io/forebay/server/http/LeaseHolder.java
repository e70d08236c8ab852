package io.forebay.server.http;

/** Receives on the owning event loop the outcome of a leased chunk that it sent. */
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
