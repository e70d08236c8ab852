package io.forebay.lab.target;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The edge's jar and the JVM options that {@code ./forebay} gives it. */
final class EdgeJar {
  static final String VARIABLE = "FOREBAY_JAR";

  private static final Path BUILT = Path.of("cache-cli", "target", "forebay.jar");

  private EdgeJar() {}

  /**
   * The jar that the environment names, else the one that is built in the checkout around the lab's
   * own classes, else around the working directory; null where there is none.
   */
  static @Nullable Path find(Map<String, String> environment) {
    String named = environment.get(VARIABLE);
    if (named != null && !named.isEmpty()) {
      return Files.isRegularFile(Path.of(named)) ? Path.of(named).toAbsolutePath() : null;
    }
    for (Path start : List.of(ownPlace(), Path.of("").toAbsolutePath())) {
      for (Path place = start; place != null; place = place.getParent()) {
        if (Files.isRegularFile(place.resolve(BUILT))) {
          return place.resolve(BUILT);
        }
      }
    }
    return null;
  }

  private static Path ownPlace() {
    try {
      return Path.of(EdgeJar.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A command of the jar as {@code ./forebay} starts it; its reasons stand in that script. */
  static List<String> command(Path jar, Map<String, String> environment, String... arguments)
      throws IOException {
    String more = environment.getOrDefault("FOREBAY_JAVA_OPTS", "").strip();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--sun-misc-unsafe-memory-access=allow");
    if (!more.matches("(.* )?-XX:\\+Use[A-Za-z]*GC( .*)?")) {
      command.add("-XX:+UseSerialGC");
    }
    command.addAll(List.of("-Xmx512m", "-XX:+PerfDisableSharedMem"));
    if (!more.isEmpty()) {
      command.addAll(List.of(more.split("\\s+", -1)));
    }
    Path aot = aotCache(jar, environment.getOrDefault("FOREBAY_AOT_CACHE", ""));
    if (aot != null) {
      command.addAll(List.of("-XX:AOTCache=" + aot, "-Xlog:aot=off"));
    }
    command.addAll(List.of("-jar", jar.toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  private static @Nullable Path aotCache(Path jar, String named) throws IOException {
    if (named.equals("off")) {
      return null;
    }
    Path cache = named.isEmpty() ? jar.resolveSibling("forebay.aot") : Path.of(named);
    boolean isUsable =
        Files.isRegularFile(cache)
            && Files.size(cache) > 0
            && Files.getLastModifiedTime(jar).compareTo(Files.getLastModifiedTime(cache)) <= 0;
    return isUsable ? cache.toAbsolutePath() : null;
  }
}
