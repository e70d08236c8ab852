package io.forebay.lab.target;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A program that the lab can test. */
public interface Target {

  /** As in {@code --peers}: {@code nginx}. */
  String name();

  /** Why it can't run here, in a sentence that says what to install; null where it can. */
  @Nullable String missing();

  /** Its version, as it tells it. */
  String version() throws IOException, InterruptedException;

  /**
   * Starts it and waits until it answers.
   *
   * @throws UnsupportedOperationException where it can't do what the specification asks for, such
   *     as HTTP/3; the message is a sentence for the report
   */
  RunningTarget start(TargetSpec spec) throws IOException, InterruptedException;
}
