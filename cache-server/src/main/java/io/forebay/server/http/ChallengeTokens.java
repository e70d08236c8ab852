package io.forebay.server.http;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What requests of ACME validations by http-01 are answered with while they are expected (RFC 8555
 * §8.3), those of the other nodes of a cluster included. Event loops read.
 */
public final class ChallengeTokens {
  private static final String PREFIX = "/.well-known/acme-challenge/";

  private volatile Map<String, String> answers = Map.of();
  private volatile Map<String, String> own = Map.of();
  private Map<String, String> others = Map.of();

  /**
   * Replaces all answers of this node.
   *
   * @param byToken key authorizations
   */
  public synchronized void publish(Map<String, String> byToken) {
    own = Map.copyOf(byToken);
    join();
  }

  /** Replaces all answers of other nodes. */
  public synchronized void others(Map<String, String> byToken) {
    if (!others.equals(byToken)) {
      others = Map.copyOf(byToken);
      join();
    }
  }

  private void join() {
    Map<String, String> all = new HashMap<>(others);
    all.putAll(own);
    answers = Map.copyOf(all);
  }

  /** Those of this node. */
  public Map<String, String> own() {
    return own;
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
