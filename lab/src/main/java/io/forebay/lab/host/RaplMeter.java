package io.forebay.lab.host;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The energy counters of the processors (running average power limit), as Linux has them in {@code
 * /sys/class/powercap}. Where there is one of the whole platform (psys), it is the only one that
 * counts; else those of the packages and of their memory.
 *
 * <pre>
 *   intel-rapl:0     package-0         counts
 *   intel-rapl:0:0     core            is in package-0
 *   intel-rapl:0:1     dram            counts, is not in package-0
 *   intel-rapl:1     psys              counts alone
 * </pre>
 *
 * <p>It leaves out fans, disks, network cards and losses of the power supply, and psys some of
 * them. One thread.
 */
final class RaplMeter implements PowerMeter {
  private static final String PREFIX = "intel-rapl:";

  /** A counter in microjoules that begins anew behind its range. */
  private static final class Domain {
    private final Path file;
    private final long range;
    private long last;
    private long sum;

    Domain(Path file, long range, long first) {
      this.file = file;
      this.range = range;
      this.last = first;
    }

    long update() {
      OptionalLong now = KernelTree.number(file);
      if (now.isPresent()) {
        long grown = now.getAsLong() - last;
        // Kernels count the range from 0 to this number.
        sum += grown >= 0 ? grown : grown + range;
        last = now.getAsLong();
      }
      return sum;
    }
  }

  private final List<Domain> domains;
  private final String source;

  private RaplMeter(List<Domain> domains, String source) {
    this.domains = domains;
    this.source = source;
  }

  static PowerMeter open(KernelTree kernel) {
    Path all = kernel.at("sys/class/powercap");
    List<String> platform = new ArrayList<>();
    List<String> parts = new ArrayList<>();
    for (String zone : KernelTree.names(all)) {
      String name = KernelTree.line(all.resolve(zone).resolve("name"));
      if (!zone.startsWith(PREFIX) || name == null) {
        continue;
      }
      if (name.startsWith("psys")) {
        platform.add(zone);
      } else if (name.startsWith("package") || name.equals("dram")) {
        parts.add(zone);
      }
    }
    List<String> counted = platform.isEmpty() ? parts : platform;
    if (counted.isEmpty()) {
      return new None("no meter: this machine has no /sys/class/powercap/intel-rapl*");
    }
    List<Domain> domains = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (String zone : counted) {
      Path directory = all.resolve(zone);
      Path file = directory.resolve("energy_uj");
      OptionalLong now = KernelTree.number(file);
      OptionalLong range = KernelTree.number(directory.resolve("max_energy_range_uj"));
      if (now.isEmpty() || range.isEmpty()) {
        return new None(
            "no meter: "
                + zone
                + "/energy_uj cannot be read; run as root, or make it readable (chmod a+r"
                + " /sys/class/powercap/"
                + zone
                + "/energy_uj)");
      }
      domains.add(new Domain(file, range.getAsLong(), now.getAsLong()));
      names.add(KernelTree.line(directory.resolve("name")) + " (" + zone + ")");
    }
    return new RaplMeter(domains, "RAPL: " + String.join(" + ", names));
  }

  @Override
  public String source() {
    return source;
  }

  @Override
  public double joules() {
    return domains.stream().mapToLong(Domain::update).sum() / 1e6;
  }

  @Override
  public @Nullable Double watts(Moment from, Moment to) {
    double seconds = to.secondsSince(from);
    return seconds <= 0 ? null : (to.joules() - from.joules()) / seconds;
  }

  @Override
  public List<String> remarks(Moment from, Moment to) {
    return List.of();
  }
}
