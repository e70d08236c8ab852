package io.forebay.plugin.test;

import io.forebay.plugin.FieldEdits;
import io.forebay.plugin.Fields;
import io.forebay.plugin.Response;
import java.util.ArrayList;
import java.util.List;

/** A response made by hand. */
public record TestResponse(int status, List<FieldEdits.Line> lines) implements Response {

  public TestResponse {
    lines = List.copyOf(lines);
  }

  /** A response without fields. */
  public static TestResponse of(int status) {
    return new TestResponse(status, List.of());
  }

  /** The same with one more field line. */
  public TestResponse with(String name, String value) {
    List<FieldEdits.Line> more = new ArrayList<>(lines);
    more.add(new FieldEdits.Line(name, value));
    return new TestResponse(status, more);
  }

  @Override
  public Fields fields() {
    return fields(lines);
  }

  static Fields fields(List<FieldEdits.Line> lines) {
    return name ->
        lines.stream()
            .filter(line -> line.name().equalsIgnoreCase(name))
            .map(FieldEdits.Line::value)
            .toList();
  }
}
