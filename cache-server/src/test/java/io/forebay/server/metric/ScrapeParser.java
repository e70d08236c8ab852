package io.forebay.server.metric;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A strict parser of the Prometheus text format 0.0.4: every family has HELP and TYPE before its
 * samples, is contiguous, and has no duplicate series.
 */
final class ScrapeParser {
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(.*)})? (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\\n]|\\\\[\\\\\"n])*)\"(,|$)");

  /** Value by series, such as {@code name{a="b"}} with labels in order. */
  final Map<String, Double> samples = new LinkedHashMap<>();

  /** Type by family. */
  final Map<String, String> types = new LinkedHashMap<>();

  ScrapeParser(String text) {
    if (!text.endsWith("\n")) {
      throw new AssertionError("no line feed at the end");
    }
    Set<String> ended = new HashSet<>();
    Set<String> helped = new HashSet<>();
    String family = "";
    for (String line : (Iterable<String>) text.lines()::iterator) {
      String[] words = line.split(" ", 4);
      if (line.startsWith("# HELP ")) {
        if (words.length < 4 || words[3].isBlank() || !helped.add(words[2])) {
          throw new AssertionError("no help, or help twice: " + line);
        }
        ended.add(family);
        family = words[2];
        if (ended.contains(family)) {
          throw new AssertionError("family in pieces: " + line);
        }
      } else if (line.startsWith("# TYPE ")) {
        if (!words[2].equals(family) || types.put(family, words[3]) != null) {
          throw new AssertionError("type out of place: " + line);
        }
      } else {
        sample(line, family);
      }
    }
  }

  private void sample(String line, String family) {
    Matcher matcher = SAMPLE.matcher(line);
    if (!matcher.matches()) {
      throw new AssertionError("not a sample: " + line);
    }
    String name = matcher.group(1);
    String type = types.get(family);
    boolean belongs =
        "histogram".equals(type)
            ? name.matches(Pattern.quote(family) + "_(bucket|sum|count)")
            : "summary".equals(type)
                ? name.matches(Pattern.quote(family) + "(_sum|_count)?")
                : name.equals(family);
    if (type == null || !belongs) {
      throw new AssertionError("sample outside of its family " + family + ": " + line);
    }
    Map<String, String> labels = new TreeMap<>();
    if (matcher.group(3) != null) {
      Matcher label = LABEL.matcher(matcher.group(3));
      int end = 0;
      while (label.find() && label.start() == end) {
        end = label.end();
        if (labels.put(label.group(1), label.group(2)) != null) {
          throw new AssertionError("label twice: " + line);
        }
      }
      if (end != matcher.group(3).length()) {
        throw new AssertionError("labels that cannot be read: " + line);
      }
    }
    double value =
        switch (matcher.group(4)) {
          case "+Inf" -> Double.POSITIVE_INFINITY;
          case "NaN" -> Double.NaN;
          default -> Double.parseDouble(matcher.group(4));
        };
    if (samples.put(name + labels, value) != null) {
      throw new AssertionError("series twice: " + line);
    }
  }

  double value(String series) {
    Double value = samples.get(series);
    if (value == null) {
      throw new AssertionError("no series " + series + " in " + samples.keySet());
    }
    return value;
  }
}
