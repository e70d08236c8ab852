package io.forebay.server.handover;

import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One {@code forebay upgrade}: starts a new process as this one was started, and tells the command
 * what came of it. The new process is a child of this one: it is in the same control group, and has
 * its environment, limits and outputs. When the command goes away before the end, the new process
 * is ended.
 */
final class Upgrade {
  private static final Logger LOG = LoggerFactory.getLogger(Upgrade.class);
  private static final Duration FOREVER = Duration.ofDays(1);

  /**
   * Variables of systemd that are for this process alone. Without {@code WATCHDOG_PID} the new one
   * feeds the watchdog: it is to be the main process.
   */
  static final List<String> OWN_VARIABLES =
      List.of("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID");

  private final HandoverConnection client;
  private final CompletableFuture<ObjectNode> result = new CompletableFuture<>();
  private final CompletableFuture<Void> told = new CompletableFuture<>();

  Upgrade(HandoverConnection client) {
    this.client = client;
  }

  /**
   * The hand-over has ended; returns when the command has been told.
   *
   * @return false where the command has given up before: then the new process is being ended
   */
  boolean finish(ObjectNode message) {
    boolean isFirst = result.complete(message);
    told.join();
    return isFirst;
  }

  void run(String jar) throws IOException, InterruptedException {
    try {
      Process started;
      try {
        started = start(command(cmdline(), jar));
      } catch (IOException e) {
        client.send(
            HandoverMessages.refused("the new process cannot be started: " + e.getMessage()));
        return;
      }
      LOG.info("upgrade: process {} started", started.pid());
      client.send(HandoverMessages.of(HandoverMessages.STARTED).put("pid", started.pid()));
      Thread watch = Thread.ofVirtual().name("upgrade-client").start(() -> watchClient(started));
      var ignored =
          started
              .onExit()
              .thenAccept(ended ->
                  result.complete(
                      HandoverMessages.of(HandoverMessages.FAILED)
                          .put(
                              "reason",
                              "the new process ended with code "
                                  + ended.exitValue()
                                  + ", its log says why; the old one serves on")));
      ObjectNode end = result.get();
      watch.interrupt();
      client.send(end);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      told.complete(null);
    }
  }

  private void watchClient(Process started) {
    try {
      ObjectNode unexpected = client.receive(FOREVER);
      LOG.debug("upgrade: unexpected {}", unexpected);
    } catch (EOFException e) {
      // Not where the hand-over has ended: that process serves.
      if (result.complete(
          HandoverMessages.of(HandoverMessages.FAILED).put("reason", "the command gave up"))) {
        LOG.warn("upgrade: given up by the command, process {} is ended", started.pid());
        Process ignored = started.destroyForcibly();
      }
    } catch (IOException e) {
      LOG.debug("upgrade: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Process start(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    OWN_VARIABLES.forEach(builder.environment()::remove);
    return builder
        .inheritIO()
        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
        .start();
  }

  private static List<String> cmdline() throws IOException {
    byte[] raw = Files.readAllBytes(Path.of("/proc/self/cmdline"));
    // Each argument ends with a zero, empty ones too.
    List<String> arguments =
        new ArrayList<>(List.of(new String(raw, StandardCharsets.UTF_8).split("\0", -1)));
    arguments.removeLast();
    return arguments;
  }

  /**
   * The command of the new process.
   *
   * @param running that of this one
   * @param jar to run instead; empty for the same
   */
  static List<String> command(List<String> running, String jar) throws IOException {
    List<String> command = new ArrayList<>(running);
    command.set(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
    int option = command.indexOf("-jar");
    if (!jar.isEmpty()) {
      if (option < 0 || option + 1 >= command.size()) {
        throw new IOException("this process was not started with -jar");
      }
      if (!Path.of(jar).isAbsolute() || !Files.isReadable(Path.of(jar))) {
        throw new IOException(jar + " is no absolute path of a file that can be read");
      }
      command.set(option + 1, jar);
    }
    int serve = command.indexOf("serve");
    if (serve < 0) {
      throw new IOException("this process was not started by serve");
    }
    if (!command.contains("--take-over")) {
      command.add(serve + 1, "--take-over");
    }
    return command;
  }
}
