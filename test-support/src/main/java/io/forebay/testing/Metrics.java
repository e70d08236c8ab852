package io.forebay.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One scrape of the Prometheus text that an edge exposes. */
public record Metrics(List<Sample> samples) {
  private static final Pattern LINE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{.*})? ([^ ]+)( [0-9]+)?");

  public record Sample(String name, String labels, double value) {}

  public static Metrics parse(String text) {
    List<Sample> samples = new ArrayList<>();
    for (String line : text.lines().toList()) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      Matcher matcher = LINE.matcher(line);
      if (!matcher.matches()) {
        throw new AssertionError("no sample: " + line);
      }
      String labels = matcher.group(2) == null ? "" : matcher.group(2);
      samples.add(new Sample(matcher.group(1), labels, number(matcher.group(3))));
    }
    return new Metrics(samples);
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  /** Sum of all samples of the name whose labels hold each of the texts, as {@code a="b"}. */
  public double sum(String name, String... labels) {
    List<Sample> matching = matching(name, labels);
    if (matching.isEmpty()) {
      throw new AssertionError("no metric " + name + " " + List.of(labels) + " among " + names());
    }
    return matching.stream().mapToDouble(Sample::value).sum();
  }

  public List<Sample> matching(String name, String... labels) {
    return samples.stream()
        .filter(sample -> sample.name().equals(name))
        .filter(sample -> List.of(labels).stream().allMatch(sample.labels()::contains))
        .toList();
  }

  private List<String> names() {
    return samples.stream().map(Sample::name).distinct().sorted().toList();
  }
}
