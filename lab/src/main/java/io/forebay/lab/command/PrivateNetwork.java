package io.forebay.lab.command;

import io.forebay.lab.scenario.Scenario;
import io.forebay.lab.target.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts the lab once more in a network namespace of its own, where packets can be delayed and lost
 * without touching the machine's network. The namespace ends with its processes.
 */
final class PrivateNetwork {
  /** Set in the namespace. */
  static final String VARIABLE = "FOREBAY_LAB_NETWORK";

  private PrivateNetwork() {}

  static boolean isInside() {
    return System.getenv(VARIABLE) != null;
  }

  /** Whether a scenario delays or loses packets and this machine can do so. */
  static boolean isWanted(List<Scenario> scenarios, @Nullable Path hosts) {
    boolean isAsked =
        scenarios.stream()
            .flatMap(scenario -> scenario.steps().stream())
            .anyMatch(step -> !step.setup().network().isPlain());
    return isAsked
        && hosts == null
        && !isInside()
        && "root".equals(System.getProperty("user.name"))
        && isInstalled("unshare")
        && isInstalled("ip")
        && isInstalled("tc");
  }

  private static boolean isInstalled(String program) {
    return Programs.find(program).isPresent();
  }

  /** Runs the same command in the namespace, to its end. */
  static int runAgain(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (isInstalled("setpriv")) {
      // Where this process is killed, the other one ends in order; nothing else would end it.
      command.addAll(List.of("setpriv", "--pdeathsig", "TERM", "--"));
    }
    command.addAll(
        List.of("unshare", "--net", "sh", "-c", "ip link set lo up && exec \"$0\" \"$@\""));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            LabCommand.class.getName()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().put(VARIABLE, "1");
    Process process = builder.start();
    try (Interrupts _ = Interrupts.ofThisThread()) {
      return process.waitFor();
    } finally {
      // ^C reaches the process by itself; SIGTERM does not.
      process.destroy();
      process.onExit().join();
    }
  }
}
