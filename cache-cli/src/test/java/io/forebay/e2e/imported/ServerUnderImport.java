package io.forebay.e2e.imported;

import io.forebay.e2e.imported.Answer.Request;
import io.forebay.e2e.imported.Loopback.Entrance;
import io.forebay.testing.Await;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;

/** Another server in the foreground, beside what an import makes of its configuration. */
public final class ServerUnderImport implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(40);

  private final String name;
  private final Process process;
  private final int port;

  private ServerUnderImport(String name, Process process, int port) {
    this.name = name;
    this.process = process;
    this.port = port;
  }

  /**
   * Starts it and returns once it listens.
   *
   * @param home of its files; its output goes there
   */
  public static ServerUnderImport start(String name, int port, Path home, List<String> command)
      throws Exception {
    return start(name, List.of(port), home, command);
  }

  /** The same, once it listens on any of some ports. */
  static ServerUnderImport start(String name, List<Integer> ports, Path home, List<String> command)
      throws Exception {
    Path out = home.resolve(name + ".out");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("HOME", home.toString());
    builder.environment().put("XDG_DATA_HOME", home.toString());
    builder.environment().put("XDG_CONFIG_HOME", home.toString());
    Process process =
        builder
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    ServerUnderImport server = new ServerUnderImport(name, process, ports.getFirst());
    try {
      Await.until(
          name + " listens",
          START_LIMIT,
          () -> {
            if (!process.isAlive()) {
              Assertions.fail(name + " ended: " + Files.readString(out));
            }
            for (int port : ports) {
              if (Ports.isListening(port)) {
                return true;
              }
            }
            return false;
          });
      return server;
    } catch (AssertionError e) {
      server.close();
      throw e;
    }
  }

  public int port() {
    return port;
  }

  /**
   * The requests that both do not answer alike.
   *
   * @param requests {@code METHOD HOST TARGET}, and lines of fields
   * @param fields of responses that have to be the same
   * @param isOfErrors whether this holds for errors, too
   */
  List<String> differences(
      int other, List<List<String>> requests, Collection<String> fields, boolean isOfErrors) {
    List<String> differences = new ArrayList<>();
    for (List<String> request : requests) {
      Map<String, String> before = answer(port, request, fields, isOfErrors);
      Map<String, String> after = answer(other, request, fields, isOfErrors);
      if (!before.equals(after)) {
        differences.add(request + "\n  " + name + " " + before + "\n  forebay " + after);
      }
    }
    return differences;
  }

  /** What both have to agree on; pages of errors are each server's own. */
  private static Map<String, String> answer(
      int port, List<String> request, Collection<String> fields, boolean isOfErrors) {
    String[] line = request.getFirst().split(" ", 3);
    Map<String, String> answer =
        Answer.of(
            new Request(
                new Entrance("80", port, false),
                line[0],
                line[1],
                line[2],
                request.subList(1, request.size())),
            Set.copyOf(fields));
    boolean isError = answer.getOrDefault("status", "").compareTo("4") >= 0;
    Map<String, String> compared = new TreeMap<>(answer);
    compared.keySet().removeIf(aspect -> isError && !isOfErrors && aspect.startsWith("field "));
    return compared;
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      Assertions.assertTrue(process.waitFor(10, TimeUnit.SECONDS), name + " did not end");
    }
  }
}
