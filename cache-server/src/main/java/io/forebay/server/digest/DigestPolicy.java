package io.forebay.server.digest;

import java.util.List;

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

  /** Whether bodies are hashed at all. */
  public boolean isOn() {
    return verifies || !added.isEmpty();
  }
}
