package io.forebay.lab.origin;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * An origin in a process of its own, so that its CPU is told apart. It ends with {@link #close} and
 * with this process, however that ends.
 */
public final class OriginProcess implements AutoCloseable {
  /** A line on standard input that asks for the figures. */
  public static final String STATS = "stats";

  private static final String COMMAND = "io.forebay.lab.command.LabCommand";
  private static final int STOP_SECONDS = 10;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Process process;
  private final BufferedReader out;
  private final URI address;

  private OriginProcess(Process process) throws IOException {
    this.process = process;
    this.out = process.inputReader(StandardCharsets.UTF_8);
    this.address = URI.create(answer(JsonNode.class).path("address").asString());
  }

  /**
   * Starts the lab of this class path once more as an origin, and waits until it listens.
   *
   * @throws IOException when it ends before; the reason stands on standard error
   */
  public static OriginProcess start(OriginOptions options) throws IOException {
    Process process = builder(options).start();
    try {
      return new OriginProcess(process);
    } catch (IOException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  static ProcessBuilder builder(OriginOptions options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-XX:+PerfDisableSharedMem",
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            COMMAND,
            "origin",
            "--json",
            "--with-parent"));
    options.options().forEach((name, value) -> command.add("--" + name + "=" + value));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  /** The next line of JSON that it prints. */
  private <T> T answer(Class<T> type) throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the origin has ended; its message stands on standard error");
    }
    try {
      return MAPPER.readValue(line, type);
    } catch (JacksonException e) {
      throw new IOException("the origin printed something else than JSON: " + line, e);
    }
  }

  public URI address() {
    return address;
  }

  public ProcessHandle process() {
    return process.toHandle();
  }

  /**
   * What it did since its start, over its standard input and output.
   *
   * @throws IOException when it has ended
   */
  public synchronized OriginStats stats() throws IOException {
    Writer in = process.outputWriter(StandardCharsets.UTF_8);
    in.write(STATS + "\n");
    in.flush();
    return answer(OriginStats.class);
  }

  /** Ends it and waits for that. */
  @Override
  public void close() {
    process.destroy();
    boolean isInterrupted = false;
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      isInterrupted = true;
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
