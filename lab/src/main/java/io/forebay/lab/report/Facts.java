package io.forebay.lab.report;

import io.forebay.lab.result.RunResult;
import org.jspecify.annotations.Nullable;

/** What tables need of the facts of a machine. */
final class Facts {

  private Facts() {}

  /** CPUs of the machine, NaN where the facts do not tell. */
  static double cpus(RunResult run) {
    for (String name : new String[] {"cpus", "cores"}) {
      double cpus = number(run.facts().get(name));
      if (cpus > 0) {
        return cpus;
      }
    }
    return Double.NaN;
  }

  static String cpu(RunResult run) {
    Object cpu = run.facts().get("cpu");
    return cpu == null ? "CPU not known" : cpu.toString();
  }

  static double number(@Nullable Object value) {
    if (value instanceof Number number) {
      return number.doubleValue();
    }
    if (value instanceof String text) {
      try {
        return Double.parseDouble(text.strip());
      } catch (NumberFormatException e) {
        return Double.NaN;
      }
    }
    return Double.NaN;
  }
}
