package io.forebay.server.digest;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a route does with digests of responses that it stores.
 *
 * @param verifies whether those of origins are compared with the body
 * @param added algorithms of which stored responses get a digest that they lack
 */
public record DigestPolicy(boolean verifies, List<DigestAlgorithm> added) {

  /** Digests pass as they come. */
  public static final DigestPolicy NONE = new DigestPolicy(false, List.of());

  public DigestPolicy {
    added = List.copyOf(added);
  }

  /**
   * What origins are asked for in Want-Repr-Digest: those that are added, then, where digests are
   * compared, the others.
   */
  public String wanted() {
    return Arrays.stream(DigestAlgorithm.values())
        .filter(algorithm -> verifies || added.contains(algorithm))
        .map(algorithm -> algorithm.key() + (added.contains(algorithm) ? "=10" : "=5"))
        .collect(Collectors.joining(", "));
  }

  /** Whether bodies are hashed at all. */
  public boolean isOn() {
    return verifies || !added.isEmpty();
  }
}
