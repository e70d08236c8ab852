package io.forebay.core.route;

import java.time.Duration;

/**
 * A route's settings for sharing fetches between requests.
 *
 * @param patience how long a request waits for the head that another one's fetch is to bring,
 *     before it goes to the origin by itself
 * @param hitForMiss how long a response that could not be shared keeps requests for its key from
 *     waiting for one another
 * @param withPeers whether other nodes of the cluster are asked before the origin
 */
public record SharingSettings(Duration patience, Duration hitForMiss, boolean withPeers) {

  public static final SharingSettings DEFAULT =
      new SharingSettings(Duration.ofSeconds(15), Duration.ofMinutes(1));

  /** With other nodes. */
  public SharingSettings(Duration patience, Duration hitForMiss) {
    this(patience, hitForMiss, true);
  }

  public SharingSettings {
    if (patience.isNegative() || hitForMiss.isNegative()) {
      throw new IllegalArgumentException("negative: " + patience + ", " + hitForMiss);
    }
  }
}
