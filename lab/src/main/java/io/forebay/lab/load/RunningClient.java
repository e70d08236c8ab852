package io.forebay.lab.load;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client's process, and what is said to it and by it. */
final class RunningClient implements AutoCloseable {
  private static final String END = "";
  private static final int MAX_ERROR_CHARS = 4000;
  private static final long EXIT_SECONDS = 2;

  private final String name;
  private final Process process;
  private final BufferedWriter in;
  private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final StringBuilder errors = new StringBuilder();
  private final Thread errorReader;

  RunningClient(String name, List<String> command) throws IOException {
    this.name = name;
    process = new ProcessBuilder(command).start();
    in = process.outputWriter(StandardCharsets.UTF_8);
    Thread.ofVirtual().start(this::readLines);
    errorReader = Thread.ofVirtual().start(this::readErrors);
  }

  private void readLines() {
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (!line.isEmpty()) {
          lines.add(line);
        }
      }
    } catch (IOException gone) {
      // Its end is told below, whatever it was.
    } finally {
      lines.add(END);
    }
  }

  private void readErrors() {
    try (BufferedReader err = process.errorReader(StandardCharsets.UTF_8)) {
      for (String line = err.readLine(); line != null; line = err.readLine()) {
        note(line);
      }
    } catch (IOException gone) {
      // There is nothing more to tell.
    }
  }

  private synchronized void note(String line) {
    if (errors.length() + line.length() < MAX_ERROR_CHARS) {
      errors.append(line).append('\n');
    }
  }

  private synchronized String noted() {
    return errors.toString().strip();
  }

  String name() {
    return name;
  }

  void say(String line) throws IOException, InterruptedException {
    try {
      in.write(line);
      in.newLine();
      in.flush();
    } catch (IOException e) {
      throw failure("is gone");
    }
  }

  /**
   * The next line.
   *
   * @throws IOException when the process has ended or says nothing for so long
   */
  ClientLines.FromClient hear(long seconds) throws IOException, InterruptedException {
    @Nullable String line = lines.poll(seconds, TimeUnit.SECONDS);
    if (line == null) {
      throw failure("has said nothing for " + seconds + " s");
    }
    if (line.equals(END)) {
      throw failure("ended without an outcome");
    }
    try {
      return ClientLines.fromClient(line);
    } catch (IllegalArgumentException e) {
      throw new IOException("client " + name + ": " + e.getMessage(), e);
    }
  }

  private IOException failure(String what) throws InterruptedException {
    process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS);
    if (!process.isAlive()) {
      errorReader.join();
    }
    return new IOException("client " + name + " " + what + ": " + noted());
  }

  /** Ends the process, if it still runs, and those that it has started. */
  @Override
  public void close() {
    Processes.end(process);
  }
}
