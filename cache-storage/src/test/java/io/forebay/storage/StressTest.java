package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jcstress.annotations.State;

/**
 * Runs the stress tests of the storage engine in jcstress, a separate program with its own JVMs:
 * the real code must pass, and the weakened code must be caught.
 */
@Tag("full")
class StressTest {
  private static final List<Class<?>> ALL =
      List.of(
          PinStress.class,
          NearIndexStress.class,
          IndexStress.class,
          CountStress.class,
          TierStress.class,
          WatermarkStress.class,
          OverflowStress.class);

  private static final Pattern GRADE =
      Pattern.compile("^\\.* *\\[(\\w+)] ([\\w.]+)$", Pattern.MULTILINE);

  /** A weakening that one run misses, on a machine that does other work too, gets longer ones. */
  private static final int RUNS = 3;

  @TempDir Path directory;

  @Test
  void realOnesPassAndWeakenedOnesAreCaught() throws Exception {
    run(false, 2, 250);
  }

  @Test
  @Tag("campaign")
  void realOnesPassAndWeakenedOnesAreCaughtForLong() throws Exception {
    run(true, 5, 1_000);
  }

  private void run(boolean isLong, int iterations, int millis) throws Exception {
    Path weakened = Files.createDirectories(directory.resolve("weakened"));
    for (Weakening weakening : Weakening.values()) {
      weakening.compile(Path.of("src/main/java").toAbsolutePath(), weakened, classPath());
    }
    Set<String> real = tests(true);
    Set<String> uncaught = tests(false);
    Set<String> wanted = new TreeSet<>(real);
    wanted.addAll(uncaught);
    Set<String> passed = new TreeSet<>();
    for (int run = 0; run < RUNS && !wanted.isEmpty(); run++) {
      String output = stress(wanted, isLong, iterations, millis << (2 * run), weakened);
      // A weakened store may break down altogether; that is not how it is to be caught.
      Set<String> broken = graded("ERROR", output);
      broken.retainAll(real);
      assertEquals(Set.of(), broken, output);
      passed.addAll(graded("OK", output));
      Set<String> failed = graded("FAILED", output);
      uncaught.removeAll(failed);
      failed.retainAll(real);
      assertEquals(Set.of(), failed, output);
      wanted = new TreeSet<>(uncaught);
    }
    passed.retainAll(real);
    assertEquals(real, passed, "not all were run");
    assertEquals(Set.of(), uncaught, "weakenings that nothing caught");
  }

  private static Set<String> graded(String grade, String output) {
    return GRADE
        .matcher(output)
        .results()
        .filter(match -> match.group(1).equals(grade))
        .map(match -> match.group(2))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> tests(boolean real) {
    return ALL.stream()
        .flatMap(all -> Arrays.stream(all.getDeclaredClasses()))
        .filter(test -> test.isAnnotationPresent(State.class))
        .map(test -> Objects.requireNonNull(test.getCanonicalName()))
        .filter(name -> name.contains(".Real") == real)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  private String stress(
      Set<String> tests, boolean isLong, int iterations, int millis, Path weakened)
      throws IOException, InterruptedException {
    List<String> opens =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(argument -> argument.startsWith("--"))
            .toList();
    List<String> command = new ArrayList<>();
    command.add(Objects.requireNonNull(ProcessHandle.current().info().command().orElse("java")));
    command.addAll(opens);
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-cp", classPath()));
    command.add("org.openjdk.jcstress.Main");
    command.addAll(List.of("-v", "-t", "(" + String.join("|", tests) + ")$"));
    String options = "-sc %s -f 1 -iters %d -time %d".formatted(isLong, iterations, millis);
    // Few at a time, for each has memory of its own in the tier.
    options += " -strideSize 128 -strideCount 4 -af NONE";
    command.addAll(List.of(options.split(" ", -1)));
    command.add("-jvmArgs");
    command.add(
        String.join(" ", opens)
            + " -Xmx256m -XX:+UseSerialGC -D"
            + Weakening.DIRECTORY
            + "="
            + weakened
            + " -D"
            + StoreFixture.CELLS
            + "="
            + Integer.getInteger(StoreFixture.CELLS, 1));
    File output = directory.resolve("output").toFile();
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output)
            .start();
    // It ends with an error when anything failed, and something is to fail.
    try {
      int ignored = process.waitFor();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    return Files.readString(output.toPath());
  }
}
