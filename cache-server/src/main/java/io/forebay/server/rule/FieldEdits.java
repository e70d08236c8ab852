package io.forebay.server.rule;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Fields that a rule sets, adds and removes. What is constant is prepared as bytes. */
public final class FieldEdits {
  private final List<Line> set;
  private final List<Line> added;
  private final Set<String> removed;
  private final byte[][] removedPrefixes;
  private final Fallback[] fallbacks;
  private final byte @Nullable [] constantLines;

  /**
   * A field line.
   *
   * @param name in lower case
   */
  public record Line(String name, Template value) {}

  /**
   * A line that is written where there is none of its name.
   *
   * @param beginnings {@code name:} alone
   * @param line the whole line
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Fallback(byte[][] beginnings, byte[] line) {}

  /** Edits of fields without defaults. */
  public FieldEdits(List<Line> set, List<Line> added, List<String> removed) {
    this(set, added, removed, List.of());
  }

  /**
   * Edits of fields; names are in lower case.
   *
   * @param set replace what is there under their names
   * @param added come behind what is there
   * @param removed names of fields that go
   * @param defaults are set where the field is not there; constant
   */
  public FieldEdits(List<Line> set, List<Line> added, List<String> removed, List<Line> defaults) {
    this.set = List.copyOf(set);
    this.added = List.copyOf(added);
    this.fallbacks = defaults.stream().map(FieldEdits::fallback).toArray(Fallback[]::new);
    Set<String> names = new LinkedHashSet<>(removed);
    set.forEach(line -> names.add(line.name()));
    this.removed = Set.copyOf(names);
    removedPrefixes =
        names.stream()
            .map(name -> (name + ":").getBytes(StandardCharsets.ISO_8859_1))
            .toArray(byte[][]::new);
    boolean isConstant =
        set.stream().allMatch(line -> line.value().isConstant())
            && added.stream().allMatch(line -> line.value().isConstant());
    constantLines = isConstant ? bytes(null, null) : null;
  }

  private static Fallback fallback(Line line) {
    String text = line.name() + ": " + line.value().literals() + "\r\n";
    return new Fallback(
        new byte[][] {(line.name() + ":").getBytes(StandardCharsets.ISO_8859_1)},
        text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Whether it is the same for every request. */
  boolean isConstant() {
    return constantLines != null;
  }

  /** The highest group of an expression that a value names, or 0. */
  public int groups() {
    int most = 0;
    for (List<Line> lines : List.of(set, added)) {
      for (Line line : lines) {
        most = Math.max(most, line.value().groups());
      }
    }
    return most;
  }

  /** The lines that come where there is none of their name. */
  Fallback[] fallbacks() {
    return fallbacks;
  }

  /** The beginnings {@code name:} of the lines that go, in lower case. */
  byte[][] removedPrefixes() {
    return removedPrefixes;
  }

  /** The lines that come, complete. */
  byte[] lines(RequestView request, String @Nullable [] captures) {
    byte[] constant = constantLines;
    return constant != null ? constant : bytes(request, captures);
  }

  /** The lines that are the same for every request; only where all are. */
  byte[] constantLines() {
    byte[] constant = constantLines;
    if (constant == null) {
      throw new IllegalStateException("values depend on the request");
    }
    return constant;
  }

  private byte[] bytes(@Nullable RequestView request, String @Nullable [] captures) {
    StringBuilder out = new StringBuilder();
    for (List<Line> lines : List.of(set, added)) {
      for (Line line : lines) {
        String value =
            request == null ? line.value().literals() : line.value().fieldValue(request, captures);
        out.append(line.name()).append(": ").append(value).append("\r\n");
      }
    }
    return out.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Whether a field goes, by its name in lower case. */
  boolean removes(String name) {
    return removed.contains(name);
  }

  /** Some fields edited. */
  public HeaderFields edited(
      HeaderFields fields, RequestView request, String @Nullable [] captures) {
    HeaderFields.Builder out = HeaderFields.builder();
    fields.without(removed::contains).forEach(out::add);
    for (List<Line> lines : List.of(set, added)) {
      for (Line line : lines) {
        out.add(line.name(), line.value().fieldValue(request, captures));
      }
    }
    return out.build();
  }
}
