package io.forebay.server.cmcd;

import java.util.List;

/**
 * What a route does with CMCD and CMSD.
 *
 * @param isRead whether CMCD of requests is read, counted and logged, and kept out of keys
 * @param answersCmsd whether responses have an entry of this node in CMSD-Dynamic (CTA-5006)
 */
public record CmcdSettings(boolean isRead, boolean answersCmsd) {

  /** The query parameter with all keys. */
  public static final String PARAMETER = "CMCD";

  /** The fields, in lower case. */
  public static final List<String> FIELDS =
      List.of("cmcd-object", "cmcd-request", "cmcd-session", "cmcd-status");

  public static final CmcdSettings OFF = new CmcdSettings(false, false);

  /** Whether there is nothing to do. */
  public boolean isOff() {
    return !isRead && !answersCmsd;
  }
}
