package io.forebay.lab.target;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text with places such as {@code @PORT@}, which no syntax of the programs uses. */
final class Template {
  private static final Pattern PLACE = Pattern.compile("@([A-Z_]+)@");

  private Template() {}

  /** Fills all places; one without a value is a mistake of the caller. */
  static String fill(String text, Map<String, Object> values) {
    return PLACE
        .matcher(text)
        .replaceAll(place -> {
          Object value = values.get(place.group(1));
          if (value == null) {
            throw new IllegalArgumentException("no value for " + place.group());
          }
          return Matcher.quoteReplacement(value.toString());
        });
  }
}
