package io.forebay.server.origin;

/** What carries a call out: a connection of HTTP/1.1, or a stream of one of HTTP/2. */
interface CallTransport {

  /** The call is suspended from now on. */
  void onSuspended();

  /** Continues to read, unless the call was suspended again meanwhile. */
  void onResumed();

  /** The call has been given up. */
  void abandon();
}
