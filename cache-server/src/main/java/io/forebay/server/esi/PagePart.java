package io.forebay.server.esi;

import org.jspecify.annotations.Nullable;

/** A part of a page, in its place. */
sealed interface PagePart permits TextPart, Include, Try {

  /** How far a part has come. */
  enum State {
    RUNNING,
    /** All of it is here. */
    COMPLETE,
    /** It can't be had, and nothing takes its place. */
    FAILED
  }

  /** What came of writing a part. */
  enum Drained {
    ALL,
    /** Something is missing, or the client takes no more at the moment. */
    WAITS,
    FAILED
  }

  State state();

  /** Writes what can be written; everything before it has been. */
  Drained drain(PageOutput out);

  /** From now on it counts: its fragments are requested. */
  void activate();

  /** Gives everything back and ends its requests. Called once, at any time. */
  void release();

  /** Bytes that it holds, with those of its fragments. */
  long heldBytes();

  /** Whether a request of it is in progress. */
  boolean isRunning();

  /** The first include in it that waits for its turn, or null. */
  @Nullable Include firstWaiting();

  /** Why it failed. */
  String why();
}
