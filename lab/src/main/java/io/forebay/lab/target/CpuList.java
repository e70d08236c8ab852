package io.forebay.lab.target;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** CPU numbers, in the notation of {@code taskset -c} and of {@code /sys}: {@code 0-3,8}. */
record CpuList(List<Integer> numbers) {
  private static final int MAX_CPU = 1 << 16;
  private static final String ALLOWED = "Cpus_allowed_list:";

  CpuList {
    numbers = List.copyOf(numbers);
    if (numbers.isEmpty()) {
      throw new IllegalArgumentException("a list of CPUs is empty");
    }
  }

  /** Those that this process may run on. */
  static CpuList available() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith(ALLOWED)) {
          return parse(line.substring(ALLOWED.length()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new IllegalStateException("/proc/self/status has no " + ALLOWED);
  }

  static CpuList parse(String text) {
    List<Integer> numbers = new ArrayList<>();
    for (String part : text.strip().split(",", -1)) {
      int dash = part.indexOf('-');
      int first = number(text, dash < 0 ? part : part.substring(0, dash));
      int last = dash < 0 ? first : number(text, part.substring(dash + 1));
      if (last < first) {
        throw wrong(text);
      }
      for (int cpu = first; cpu <= last; cpu++) {
        numbers.add(cpu);
      }
    }
    return new CpuList(numbers.stream().distinct().sorted().toList());
  }

  private static int number(String text, String part) {
    if (!part.matches("[0-9]{1,5}") || Integer.parseInt(part) >= MAX_CPU) {
      throw wrong(text);
    }
    return Integer.parseInt(part);
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is no list of CPUs; write numbers and ranges, such as 0-3,8");
  }

  int size() {
    return numbers.size();
  }

  /** The part of an instance, of so many that divide the list; a CPU is shared if there are few. */
  CpuList part(int instance, int instances) {
    if (size() < instances) {
      return new CpuList(List.of(numbers.get(instance % size())));
    }
    return new CpuList(
        numbers.subList(instance * size() / instances, (instance + 1) * size() / instances));
  }

  String text() {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
