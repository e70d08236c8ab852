package io.forebay.cli.doctor;

/**
 * What a check is about.
 *
 * @param check its name; stable
 * @param why it matters, a sentence
 */
record Topic(String check, String why) {

  Finding ok(String found) {
    return new Finding(check, Level.OK, found, why, "");
  }

  Finding hint(String found, String fix) {
    return new Finding(check, Level.HINT, found, why, fix);
  }

  Finding warning(String found, String fix) {
    return new Finding(check, Level.WARNING, found, why, fix);
  }

  Finding error(String found, String fix) {
    return new Finding(check, Level.ERROR, found, why, fix);
  }

  /** Good, or else a warning. */
  Finding warningUnless(boolean isGood, String found, String fix) {
    return isGood ? ok(found) : warning(found, fix);
  }

  /** Good, or else a hint. */
  Finding hintUnless(boolean isGood, String found, String fix) {
    return isGood ? ok(found) : hint(found, fix);
  }
}
