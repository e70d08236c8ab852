package io.forebay.server.exchange;

/** What an {@link Exchange} does next. */
enum Step {
  ADMIT,
  LOOK_UP,
  FETCH,
  PASS,
  /** Nothing: a callback goes on. */
  AWAIT
}
