package io.forebay.server.http;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What requests of ACME validations by http-01 are answered with while they are expected (RFC 8555
 * §8.3). One thread publishes; event loops read.
 */
public final class ChallengeTokens {
  private static final String PREFIX = "/.well-known/acme-challenge/";

  private volatile Map<String, String> answers = Map.of();

  /**
   * Replaces all answers.
   *
   * @param byToken key authorizations
   */
  public void publish(Map<String, String> byToken) {
    answers = Map.copyOf(byToken);
  }

  /** Whether none is expected. */
  public boolean isEmpty() {
    return answers.isEmpty();
  }

  /** Whether a request may be such a validation, so that it gets no stored response. */
  public boolean mayAnswer(String scheme, CharSequence path) {
    return !isEmpty()
        && scheme.equals("http")
        && path.length() > PREFIX.length()
        && CharSequence.compare(path.subSequence(0, PREFIX.length()), PREFIX) == 0;
  }

  /** The answer to a plain text request for a path; null where no validation expects it. */
  public @Nullable String answer(String scheme, String path) {
    Map<String, String> current = answers;
    return !current.isEmpty() && scheme.equals("http") && path.startsWith(PREFIX)
        ? current.get(path.substring(PREFIX.length()))
        : null;
  }
}
