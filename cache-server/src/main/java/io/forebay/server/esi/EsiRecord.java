package io.forebay.server.esi;

import org.jspecify.annotations.Nullable;

/** What is counted and logged of a request whose page is assembled. */
public interface EsiRecord {

  /**
   * The page has ended, whole or not.
   *
   * @param fragments that were requested for it
   * @param bodyBytes that were handed to the client's sink
   * @param coding that the node applied, or null
   */
  void assembled(int fragments, long bodyBytes, @Nullable String coding);

  /** Why the page was broken off, for the log. */
  void brokenOff(String cause, String detail);

  /** The client left. */
  void clientGone();

  /** Nothing follows; called only where the role held the record. */
  void finishHeld();
}
