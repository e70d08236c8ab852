package io.forebay.e2e.storm;

import io.forebay.e2e.Tools;
import io.forebay.testing.Jar;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@link StormMain} in a process with a network, mounts and process ids of its own. Whatever it
 * started or made ends with it, also when it is killed.
 */
final class StormRun {
  private static final List<String> NAMESPACES =
      List.of(
          "unshare",
          "--net",
          "--mount",
          "--pid",
          "--fork",
          "--kill-child",
          "--mount-proc",
          "sh",
          "-c",
          "mount -t tmpfs tmpfs /dev/shm && mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns"
              + " && exec \"$@\"",
          "sh");

  private StormRun() {}

  /** Goes on only where all is there that a storm needs. */
  static void requireAll() throws IOException, InterruptedException {
    for (String program :
        List.of("ip", "iptables", "etcd", "etcdctl", "mkfs.ext4", "fsfreeze", "unshare")) {
      Path ignored = Tools.require(program);
    }
    Path ignored = Tools.requireFaketime();
    Tools.requireNamespaces(NAMESPACES);
  }

  /**
   * How it ended.
   *
   * @param output what it said
   */
  record Ended(int exit, String output) {}

  /** Runs it to its end; what it says is printed too. */
  static Ended run(Duration limit, Path directory, String what, Object... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(NAMESPACES);
    command.add(Jar.java().toString());
    command.addAll(
        List.of(
            "-Xmx512m",
            "-Djava.io.tmpdir=" + directory,
            "-Dforebay.jar=" + Jar.file().toAbsolutePath(),
            "-Dtest.storm.cluster=" + System.getProperty("test.storm.cluster", ""),
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            StormMain.class.getName(),
            what,
            directory.toString()));
    for (Object argument : arguments) {
      command.add(String.valueOf(argument));
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    StringBuilder output = new StringBuilder();
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  System.out.println(line);
                  output.append(line).append('\n');
                }
              } catch (IOException e) {
                output.append(e).append('\n');
              }
            });
    try {
      boolean isOver = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      process.destroyForcibly();
      reader.join();
      return new Ended(isOver ? process.exitValue() : -1, output.toString());
    } finally {
      process.destroyForcibly();
    }
  }
}
