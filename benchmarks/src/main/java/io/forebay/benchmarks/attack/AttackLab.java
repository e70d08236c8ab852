package io.forebay.benchmarks.attack;

import io.forebay.benchmarks.attack.Bystanders.Seen;
import io.forebay.benchmarks.attack.Edge.Holds;
import io.forebay.testing.Directories;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What attacks cost those who mean no harm: wrk asks at half of what one loop can do, while one
 * attack after the other is run, first at a sink (so that what the attacking programs cost this
 * machine is known), then at the edge. Prints the table of {@code docs/SECURITY.md}. Wants Linux
 * with two CPUs, {@code wrk}, {@code slowhttptest}, {@code taskset} and 12,000 descriptors; takes
 * some ten minutes.
 *
 * <pre>
 * mvn -B -ntp -q package -Dmaven.test.skip -pl benchmarks -am
 * java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.attack.AttackLab cache-cli/target/forebay.jar [SECONDS [ATTACK]]
 * </pre>
 */
@SuppressWarnings("try") // one that is interrupted ends
public final class AttackLab {

  private static final String EDGE_CPU = "0";
  private static final String CLIENTS_CPU = "1";
  private static final int WARM_UP_SECONDS = 20;
  private static final int CAPACITY_SECONDS = 8;
  private static final int SECONDS = 30;

  /** Timeouts of the edge for requests that do not come are shorter than this. */
  private static final int RECOVERY_SECONDS = 60;

  private static final int SLOW_CONNECTIONS = 5_000;

  private final Edge edge;
  private final Sink sink;
  private final Bystanders bystanders;
  private final int seconds;

  private AttackLab(Edge edge, Sink sink, Bystanders bystanders, int seconds) {
    this.edge = edge;
    this.sink = sink;
    this.bystanders = bystanders;
    this.seconds = seconds;
  }

  public static void main(String[] arguments) throws Exception {
    Path jar = Path.of(arguments[0]).toAbsolutePath();
    int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : SECONDS;
    String only = arguments.length > 2 ? arguments[2] : "";
    Path directory = Files.createTempDirectory("forebay-attack-");
    try (Edge edge = Edge.start(jar, directory, EDGE_CPU);
        Sink sink = new Sink()) {
      Bystanders bystanders =
          new Bystanders(CLIENTS_CPU, edge.bystandersUrl(), directory.resolve("pace.lua"));
      new AttackLab(edge, sink, bystanders, seconds).run(only);
    } finally {
      Directories.delete(directory);
    }
  }

  private void run(String only) throws IOException, InterruptedException {
    bystanders.atFullSpeed(WARM_UP_SECONDS);
    double rate = bystanders.atFullSpeed(CAPACITY_SECONDS).perSecond() / 2;
    Seen alone = bystanders.atRate(rate, seconds);
    System.out.printf(
        Locale.ROOT,
        "Bystanders alone: %.0f requests/s, p50 %.2f ms, p99 %.2f ms, %d errors%n%n",
        alone.perSecond(),
        alone.p50Millis(),
        alone.p99Millis(),
        alone.errors());
    System.out.println(
        "| Attack | p99 beside it at a sink | the first time | the second | errors | requests/s |"
            + " memory before, after | descriptors before, after | what it did |");
    System.out.println("|---|---:|---:|---:|---:|---:|---:|---:|---|");
    for (String attack : attacks()) {
      if (only.isEmpty() || attack.equals(only)) {
        row(attack, rate);
      }
    }
  }

  private static List<String> attacks() {
    List<String> names = new ArrayList<>(List.of("slow-headers", "slow-body", "slow-read"));
    for (Http2Attack.Kind kind : Http2Attack.Kind.values()) {
      names.add(kind.word);
    }
    return names;
  }

  private void row(String attack, double rate) throws IOException, InterruptedException {
    Seen atSink = beside(attack, sink.address(), rate).seen();
    Holds before = edge.holds();
    // Twice: the first time code is compiled that has never run, on the CPU of the loop.
    Beside first = beside(attack, edge.attackersAddress(), rate);
    recovered(before);
    Beside atEdge = beside(attack, edge.attackersAddress(), rate);
    Holds after = recovered(before);
    System.out.printf(
        Locale.ROOT,
        "| %s | %.2f ms | %.2f ms | %.2f ms | %d | %.0f | %d, %d MiB | %d, %d | %s |%n",
        attack,
        atSink.p99Millis(),
        first.seen().p99Millis(),
        atEdge.seen().p99Millis(),
        first.seen().errors() + atEdge.seen().errors(),
        atEdge.seen().perSecond(),
        before.heapAndDirectKib() / 1024,
        after.heapAndDirectKib() / 1024,
        before.descriptors(),
        after.descriptors(),
        atEdge.told());
  }

  /** Bystanders beside an attack, and what the attacking program says of it. */
  private record Beside(Seen seen, String told) {}

  private Beside beside(String attack, String address, double rate)
      throws IOException, InterruptedException {
    Process attacker =
        new ProcessBuilder(command(attack, address)).redirectErrorStream(true).start();
    try {
      attacker.getOutputStream().close();
      Seen seen = bystanders.atRate(rate, seconds);
      String text = new String(attacker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      attacker.waitFor();
      return new Beside(seen, lastOutputLine(text));
    } finally {
      attacker.destroyForcibly();
    }
  }

  private List<String> command(String attack, String address) {
    List<String> pinned = List.of("taskset", "-c", CLIENTS_CPU);
    String mode =
        switch (attack) {
          case "slow-headers" -> "-H";
          case "slow-body" -> "-B";
          case "slow-read" -> "-X";
          default -> "";
        };
    if (mode.isEmpty()) {
      return concat(
          pinned,
          List.of(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-cp",
              System.getProperty("java.class.path"),
              Http2Attack.class.getName(),
              attack,
              address,
              Integer.toString(seconds)));
    }
    return concat(
        pinned,
        SlowHttpTest.command(mode, SLOW_CONNECTIONS, seconds, "http://" + address + "/large"));
  }

  private static List<String> concat(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  /** The last line that says anything, without colours. */
  private static String lastOutputLine(String text) {
    return text.replaceAll("\u001b\\[[0-9;]*[A-Za-z]", "")
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .reduce("", (first, second) -> second);
  }

  private Holds recovered(Holds before) throws IOException, InterruptedException {
    Holds now = edge.holds();
    for (int i = 0; i < RECOVERY_SECONDS && now.descriptors() > before.descriptors(); i++) {
      TimeUnit.SECONDS.sleep(1);
      now = edge.holds();
    }
    return now;
  }
}
