package io.forebay.cli.bundle;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The process of a node on this machine: which one it is, and commands for its JVM. These go by the
 * JVM's own socket, which is open to the process's user and to root alone, so the admin API needs
 * no such door.
 */
record NodeProcess(long pid) {
  private static final int MAX_ANSWER = 16 << 20;
  private static final String LISTENING = "0A";

  /** The process that listens on the address of an admin API; null where none is found. */
  static @Nullable NodeProcess listeningOn(URI admin, Path proc) {
    Set<String> sockets = new HashSet<>();
    if ("unix".equals(admin.getScheme())) {
      // Num RefCount Protocol Flags Type St Inode Path
      for (String line : lines(proc.resolve("net/unix"))) {
        String[] words = line.strip().split("\\s+", 8);
        if (words.length == 8 && words[7].equals(admin.getPath())) {
          sockets.add("socket:[" + words[6] + "]");
        }
      }
    } else {
      String port = String.format(":%04X", admin.getPort() > 0 ? admin.getPort() : 80);
      for (String table : List.of("net/tcp", "net/tcp6")) {
        for (String line : lines(proc.resolve(table))) {
          String[] words = line.strip().split("\\s+", -1);
          if (words.length > 9 && words[1].endsWith(port) && words[3].equals(LISTENING)) {
            sockets.add("socket:[" + words[9] + "]");
          }
        }
      }
    }
    return sockets.isEmpty() ? null : owner(proc, sockets);
  }

  private static @Nullable NodeProcess owner(Path proc, Set<String> sockets) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path process : all) {
        if (has(process, sockets)) {
          return new NodeProcess(Long.parseLong(process.getFileName().toString()));
        }
      }
    } catch (IOException | RuntimeException e) {
      return null;
    }
    return null;
  }

  /** Descriptors of other users' processes cannot be read. */
  private static boolean has(Path process, Set<String> sockets) {
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path descriptor : descriptors) {
        if (sockets.contains(target(descriptor))) {
          return true;
        }
      }
    } catch (IOException | RuntimeException e) {
      return false;
    }
    return false;
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return "";
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return List.of();
    }
  }

  /** What its standard output and error go to; files only. */
  List<Path> logs(Path proc) {
    List<Path> logs = new ArrayList<>();
    for (String descriptor : List.of("2", "1")) {
      Path file = Path.of(target(proc.resolve(pid + "/fd/" + descriptor)));
      if (file.isAbsolute() && Files.isRegularFile(file) && !logs.contains(file)) {
        logs.add(file);
      }
    }
    return logs;
  }

  /**
   * Has the JVM carry out a command of jcmd.
   *
   * @throws IOException if it does not, or not in time
   */
  String command(Duration most, String... command) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
    line.add(Long.toString(pid));
    line.addAll(List.of(command));
    return run(most, line);
  }

  /** What a program prints, if it ends well and in time. */
  static String run(Duration most, List<String> command) throws IOException, InterruptedException {
    Path out = Files.createTempFile("forebay-bundle-", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .redirectInput(Path.of("/dev/null").toFile())
              .start();
      try {
        if (!process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS)) {
          throw new IOException("no answer within " + most.toSeconds() + " s");
        }
      } finally {
        process.destroyForcibly();
      }
      String text = head(out);
      if (process.exitValue() != 0) {
        throw new IOException(
            text.lines().filter(one -> !one.isBlank()).reduce((one, other) -> other).orElse("")
                + String.format(Locale.ROOT, " (exit code %d)", process.exitValue()));
      }
      return text;
    } finally {
      Files.deleteIfExists(out);
    }
  }

  private static String head(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MAX_ANSWER), StandardCharsets.UTF_8);
    }
  }
}
