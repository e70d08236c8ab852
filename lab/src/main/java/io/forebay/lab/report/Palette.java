package io.forebay.lab.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Colours of plots. The library draws with those for light paper; in a page they become variables,
 * which a style sheet sets for light and dark.
 */
enum Palette {
  /** Behind the marks of legends, whose colour the library does not let choose. */
  PAPER("#ffffff", "#12191d"),
  INK("#1b2a31", "#e6ecef"),
  MUTED("#5b6a71", "#9fb0b8"),
  GRID("#d5dbde", "#3a474e"),
  SERIES_1("#1f6fb2", "#6db3f2"),
  SERIES_2("#c7522a", "#ff9e73"),
  SERIES_3("#2f8f5b", "#6fd09b"),
  SERIES_4("#8a5fb0", "#c6a3ec"),
  SERIES_5("#a8790b", "#e8c04c"),
  SERIES_6("#455a64", "#b0bec5");

  private final String light;
  private final String dark;

  Palette(String light, String dark) {
    this.light = light;
    this.dark = dark;
  }

  String light() {
    return light;
  }

  /** As many as there are series; from the seventh on they repeat. */
  static List<Object> ofSeries(int count) {
    Palette[] all = {SERIES_1, SERIES_2, SERIES_3, SERIES_4, SERIES_5, SERIES_6};
    List<Object> colours = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      colours.add(all[i % all.length].light);
    }
    return colours;
  }

  /** Declarations of all variables, for a rule of a style sheet. */
  static String declarations(boolean isDark) {
    Map<String, String> variables = new LinkedHashMap<>();
    for (Palette colour : values()) {
      variables.put(colour.variable(), isDark ? colour.dark : colour.light);
    }
    StringBuilder css = new StringBuilder();
    variables.forEach((name, value) -> css.append(name).append(": ").append(value).append("; "));
    return css.toString().strip();
  }

  /** The same drawing with variables instead of colours. */
  static String withVariables(String svg) {
    String result = svg;
    for (Palette colour : values()) {
      int rgb = Integer.parseInt(colour.light.substring(1), 16);
      Pattern all =
          Pattern.compile(
              "(?i)"
                  + colour.light
                  + "|rgba?\\(\\s*"
                  + (rgb >> 16)
                  + "\\s*,\\s*"
                  + (rgb >> 8 & 0xff)
                  + "\\s*,\\s*"
                  + (rgb & 0xff)
                  + "\\s*(,\\s*1(\\.0*)?\\s*)?\\)");
      result =
          all.matcher(result)
              .replaceAll(Matcher.quoteReplacement("var(" + colour.variable() + ")"));
    }
    return result;
  }

  private String variable() {
    return "--plot-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
