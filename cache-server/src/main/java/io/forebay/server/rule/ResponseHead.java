package io.forebay.server.rule;

import org.jspecify.annotations.Nullable;

/** The head of a response on its way to the client, as conditions see it. Texts are flyweights. */
public interface ResponseHead {

  /** Before the first line. */
  int FIRST = -1;

  int status();

  /** The media type without parameters, in lower case; null where there is none. */
  @Nullable CharSequence mediaType();

  /**
   * Finds a line of a field.
   *
   * @param at where the last one was found, or {@link #FIRST}
   * @return where it was found, or -1
   */
  int next(String lowerCaseName, int at);

  /** The value of the line found last. */
  CharSequence value();
}
