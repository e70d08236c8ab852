package io.forebay.server.origin.http2;

/** What the owner of a connection is told of it. */
public interface Http2SessionListener {

  /** Bytes came from the origin, whatever they mean. */
  void onBytes(int count);

  /**
   * There may be room for calls, or one less is in progress, or the connection takes no more of
   * them. In a task of its own.
   */
  void onChanged();

  /** The connection is closed; all its calls have ended. */
  void onClosed();
}
