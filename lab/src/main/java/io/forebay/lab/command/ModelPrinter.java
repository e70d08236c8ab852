package io.forebay.lab.command;

import io.forebay.lab.model.Discrepancy;
import java.io.PrintWriter;
import java.util.List;
import tools.jackson.databind.ObjectMapper;

/** Prints what calculators give: tables and discrepancies, or JSON. */
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

  void discrepancies(List<Discrepancy> discrepancies) {
    for (Discrepancy discrepancy : discrepancies) {
      out.print(
          "%s: published %s, reckoned %s; %s\n"
              .formatted(
                  discrepancy.figure(),
                  discrepancy.published(),
                  discrepancy.reckoned(),
                  discrepancy.assumption()));
    }
    out.print("\n");
    out.flush();
  }

  void json(Object value) {
    out.print(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value) + "\n");
    out.flush();
  }
}
