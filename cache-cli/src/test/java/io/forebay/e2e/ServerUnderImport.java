package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;

/** Another server in the foreground, beside what an import makes of its configuration. */
final class ServerUnderImport implements AutoCloseable {
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
  static ServerUnderImport start(String name, int port, Path home, List<String> command)
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
    ServerUnderImport server = new ServerUnderImport(name, process, port);
    try {
      Await.until(
          name + " listens",
          () -> {
            if (!process.isAlive()) {
              Assertions.fail(name + " ended: " + Files.readString(out));
            }
            return Ports.isListening(port);
          });
      return server;
    } catch (AssertionError e) {
      server.close();
      throw e;
    }
  }

  int port() {
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
      int other, List<List<String>> requests, List<String> fields, boolean isOfErrors)
      throws Exception {
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
      int port, List<String> request, List<String> compared, boolean isOfErrors) throws Exception {
    String[] line = request.getFirst().split(" ", 3);
    List<String> fields = new ArrayList<>(request.subList(1, request.size()));
    fields.add("Host: " + line[1]);
    Response response =
        RawClient.request(port, line[0], line[2], "", fields.toArray(String[]::new));
    Map<String, String> answer = new TreeMap<>();
    answer.put("status", String.valueOf(response.status()));
    String location = response.field("location");
    URI asked = URI.create("http://" + line[1] + line[2]);
    answer.put("location", location.isEmpty() ? "" : asked.resolve(location).toString());
    for (String field : compared) {
      if (isOfErrors || response.status() < 400) {
        answer.put(field, String.join(", ", response.all(field).stream().sorted().toList()));
      }
    }
    answer.put("body", response.status() == 200 ? response.text() : "");
    return answer;
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
