package io.forebay.benchmarks.attack;

import io.forebay.benchmarks.attack.Http3Attack.Kind;
import io.forebay.benchmarks.attack.OtherClient.Served;
import io.forebay.benchmarks.attack.WatchedNode.Figures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * All attacks on a running node, one after the other, beside a client that means no harm. Prints a
 * table: what the attack did, what the node refused, what the other client was served meanwhile,
 * and the node's memory. Unlike {@link AttackLab} it starts no node, and compares nothing.
 *
 * <pre>
 * java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.attack.AttackRound PORT TLS-PORT ADMIN-PORT TOKEN-FILE CA-FILE SECONDS
 * </pre>
 *
 * <p>The node listens on loopback: plain HTTP with {@code h2c} at the first port, TLS and HTTP/3 at
 * the second. Attackers come from 127.0.0.1, the other client from 127.0.0.2, so that limits for
 * each address tell them apart. Without {@code slowhttptest} its three rows are left out.
 */
public final class AttackRound {
  private static final int SLOW_CONNECTIONS = 2_000;

  private final int port;
  private final int tlsPort;
  private final Path trusted;
  private final int seconds;
  private final WatchedNode node;

  private AttackRound(String[] arguments) {
    port = Integer.parseInt(arguments[0]);
    tlsPort = Integer.parseInt(arguments[1]);
    node = new WatchedNode(Integer.parseInt(arguments[2]), Path.of(arguments[3]));
    trusted = Path.of(arguments[4]);
    seconds = Integer.parseInt(arguments[5]);
  }

  public static void main(String[] arguments) throws Exception {
    new AttackRound(arguments).run();
  }

  private record Attack(String name, List<String> command) {}

  private void run() throws IOException, InterruptedException {
    System.out.println(
        "| Attack | what it did | refused by the node | other client: served, slowest | heap and"
            + " network buffers before, after |");
    System.out.println("|---|---|---:|---:|---:|");
    for (Attack attack : attacks()) {
      row(attack);
    }
  }

  private List<Attack> attacks() {
    String address = "127.0.0.1:" + port;
    List<Attack> all = new ArrayList<>();
    all.add(new Attack("malformed framing", java(FramingAttack.class, address)));
    if (isInstalled("slowhttptest")) {
      all.add(new Attack("slow headers", slow("-H")));
      all.add(new Attack("slow bodies", slow("-B")));
      all.add(new Attack("slow reads", slow("-X")));
    } else {
      System.err.println("slowhttptest is not installed: its attacks are left out");
    }
    for (Http2Attack.Kind kind : Http2Attack.Kind.values()) {
      all.add(new Attack("HTTP/2 " + kind.word, java(Http2Attack.class, kind.word, address)));
    }
    for (Kind kind : Kind.values()) {
      all.add(
          new Attack(
              "HTTP/3 " + kind.word,
              java(Http3Attack.class, kind.word, Integer.toString(tlsPort), trusted.toString())));
    }
    return all;
  }

  private static boolean isInstalled(String program) {
    for (String directory : Objects.requireNonNull(System.getenv("PATH")).split(":", -1)) {
      if (Files.isExecutable(Path.of(directory, program))) {
        return true;
      }
    }
    return false;
  }

  /** A program of this jar, with the seconds as its last argument. */
  private List<String> java(Class<?> program, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
    command.addAll(List.of(arguments));
    command.add(Integer.toString(seconds));
    return command;
  }

  private List<String> slow(String mode) {
    return SlowHttpTest.command(
        mode, SLOW_CONNECTIONS, seconds, "http://127.0.0.1:" + port + "/channel/0/0");
  }

  private void row(Attack attack) throws IOException, InterruptedException {
    Figures before = node.figures();
    String told;
    Served served;
    try (OtherClient other = new OtherClient(port)) {
      told = outcome(attack.command());
      served = other.end();
    }
    Figures after = node.figures();
    System.out.printf(
        Locale.ROOT,
        "| %s | %s | %d | %d of %d, %.1f ms | %d, %d MiB |%n",
        attack.name(),
        told,
        after.refused() - before.refused(),
        served.well(),
        served.asked(),
        served.slowestMillis(),
        before.mebibytes(),
        after.mebibytes());
  }

  /** The last line that the attacking program says, without colours. */
  private static String outcome(List<String> command) throws IOException, InterruptedException {
    Process attacker = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      attacker.getOutputStream().close();
      String text = new String(attacker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      attacker.waitFor();
      return text.replaceAll("\u001b\\[[0-9;]*[A-Za-z]", "")
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty())
          .reduce("", (first, second) -> second);
    } finally {
      attacker.destroyForcibly();
    }
  }
}
