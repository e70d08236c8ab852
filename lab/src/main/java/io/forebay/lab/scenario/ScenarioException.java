package io.forebay.lab.scenario;

/**
 * A scenario that can't be used. The message names the file and the key, and says what to write.
 */
public final class ScenarioException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ScenarioException(String message) {
    super(message);
  }

  ScenarioException(String message, Throwable cause) {
    super(message, cause);
  }
}
