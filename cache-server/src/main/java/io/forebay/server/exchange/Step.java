package io.forebay.server.exchange;

/** The next step of an {@link Exchange}. */
enum Step {
  ADMIT,
  ADMITTED,
  LOOK_UP,
  FETCH,
  PASS,
  /** Nothing: a callback goes on. */
  AWAIT
}
