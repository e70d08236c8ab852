package io.forebay.lab.command;

import io.forebay.lab.model.Deviation;
import java.io.PrintWriter;
import java.util.List;
import tools.jackson.databind.ObjectMapper;

/** Prints what calculators give: tables and deviations, or JSON. */
final class ModelPrinter {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final PrintWriter out;

  ModelPrinter(PrintWriter out) {
    this.out = out;
  }

  void heading(String text) {
    out.print(text + "\n\n");
  }

  void table(Columns columns) {
    out.print(columns.text() + "\n");
  }

  void deviations(List<Deviation> deviations) {
    for (Deviation deviation : deviations) {
      out.print(
          "%s: published %s, reckoned %s; %s\n"
              .formatted(
                  deviation.figure(),
                  deviation.published(),
                  deviation.reckoned(),
                  deviation.assumption()));
    }
    out.print("\n");
    out.flush();
  }

  void json(Object value) {
    out.print(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value) + "\n");
    out.flush();
  }
}
