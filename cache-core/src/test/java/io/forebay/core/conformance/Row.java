package io.forebay.core.conformance;

/**
 * One requirement of an RFC, how Forebay meets it, and the check that shows this.
 *
 * @param section of the RFC, such as {@code 4.2.1}
 * @param requirement paraphrased
 * @param answer what Forebay does
 * @param deviationReason why Forebay deviates from the requirement; empty if it does not
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
    /** Without such a keyword, or unspecified. */
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

  /** A deliberate deviation from the requirement. */
  Row butWeDeviate(String reason) {
    return new Row(section, level, requirement, answer, check, reason);
  }
}
