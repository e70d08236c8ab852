package io.forebay.server.config;

import io.forebay.server.cmcd.CmcdSettings;

/**
 * What a route does with the requests of players.
 *
 * @param cmcd what they tell of themselves, and what they are told
 */
public record VideoConfig(CmcdSettings cmcd) {

  /** Nothing beyond what is done with all requests. */
  public static final VideoConfig OFF = new VideoConfig(CmcdSettings.OFF);
}
