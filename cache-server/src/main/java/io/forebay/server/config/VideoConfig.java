package io.forebay.server.config;

import io.forebay.server.cmcd.CmcdSettings;
import io.forebay.server.prefetch.PrefetchSettings;

/**
 * What a route does with the requests of players.
 *
 * @param cmcd what they tell of themselves, and what they are told
 * @param prefetch what is fetched before they ask for it
 */
public record VideoConfig(CmcdSettings cmcd, PrefetchSettings prefetch) {

  /** Nothing beyond what is done with all requests. */
  public static final VideoConfig OFF = new VideoConfig(CmcdSettings.OFF, PrefetchSettings.OFF);
}
