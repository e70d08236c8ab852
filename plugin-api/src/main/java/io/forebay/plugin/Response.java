package io.forebay.plugin;

/** The head of a response. Good for the length of a call. */
public interface Response {

  int status();

  Fields fields();
}
