package io.forebay.core.conformance;

/**
 * One thing that an RFC asks.
 *
 * @param section where, such as {@code 4.2.1}
 * @param requirement what it asks, in our words
 * @param answer what we do
 * @param deviationReason why we do otherwise than it asks; empty where we do as it asks
 */
record Row(
    String section,
    Level level,
    String requirement,
    String answer,
    Check check,
    String deviationReason) {

  enum Level {
    MUST,
    SHOULD,
    MAY,
    /** Said without such a word, or left open. */
    TEXT
  }

  static Row must(String section, String requirement, String answer, Check check) {
    return new Row(section, Level.MUST, requirement, answer, check, "");
  }

  static Row should(String section, String requirement, String answer, Check check) {
    return new Row(section, Level.SHOULD, requirement, answer, check, "");
  }

  static Row may(String section, String requirement, String answer, Check check) {
    return new Row(section, Level.MAY, requirement, answer, check, "");
  }

  static Row text(String section, String requirement, String answer, Check check) {
    return new Row(section, Level.TEXT, requirement, answer, check, "");
  }

  /** We know what is asked and do otherwise. */
  Row butWeDeviate(String reason) {
    return new Row(section, level, requirement, answer, check, reason);
  }
}
