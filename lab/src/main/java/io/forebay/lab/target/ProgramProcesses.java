package io.forebay.lab.target;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The processes that are one program under test, such as a TLS front and the cache behind it, and
 * the directories that they leave. Closing ends the processes, children included, by their ids, and
 * removes these directories. So does the end of this process; where it is killed, a shell does.
 */
final class ProgramProcesses implements AutoCloseable {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "forebay-lab-";
  private static final Duration READY_LIMIT = Duration.ofMinutes(2);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(5);
  private static final long PAUSE_MILLIS = 20;
  private static final int LOG_TAIL = 2_000;

  private static final Set<ProgramProcesses> OPEN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(ProgramProcesses::closeAll, "lab-targets"));
  }

  private final Path directory;
  private final List<Member> members = new ArrayList<>();
  private final List<Path> scratch = new ArrayList<>();
  private final CleanupShell cleanup;

  private record Member(String name, Process process, Path log) {}

  /** Whether something has come about; an exception of I/O means not yet. */
  @FunctionalInterface
  interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  /**
   * A group without processes.
   *
   * @param directory of logs
   */
  ProgramProcesses(Path directory) throws IOException {
    this.directory = directory;
    cleanup = new CleanupShell();
    OPEN.add(this);
  }

  /**
   * A new directory in memory, removed at the end. Others may pass through it, since some programs
   * become another user.
   */
  synchronized Path memoryDirectory() throws IOException {
    return newDirectory(Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : directory);
  }

  /** New directories on the disks of a specification, removed at the end; none without disks. */
  synchronized List<Path> diskDirectories(TargetSpec spec) throws IOException {
    List<Path> made = new ArrayList<>();
    for (Path place : spec.diskPlaces()) {
      made.add(directoryAt(place));
    }
    return made;
  }

  /** A new directory below a place, removed at the end. */
  synchronized Path directoryAt(Path place) throws IOException {
    return newDirectory(Files.createDirectories(place.toAbsolutePath()));
  }

  private Path newDirectory(Path place) throws IOException {
    Path made = Files.createTempDirectory(place, PREFIX);
    scratch.add(made);
    cleanup.remove(made);
    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwx--x--x"));
    return made;
  }

  /**
   * Starts a program as the leader of a process group, so that ^C in a terminal is not for it. Its
   * output goes to {@code NAME.log}.
   *
   * @param environment added to the own one, without the variables that set up Forebay
   */
  synchronized void start(String name, List<String> command, Map<String, String> environment)
      throws IOException {
    Path log = directory.resolve(name + ".log");
    Optional<Path> leading = Programs.find("setsid");
    List<String> words = new ArrayList<>(leading.map(Path::toString).stream().toList());
    words.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(words)
            .directory(directory.toFile())
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().keySet().removeIf(variable -> variable.startsWith("FOREBAY_"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    members.add(new Member(name, process, log));
    cleanup.end(process, leading.isPresent());
  }

  /**
   * Waits until a condition holds.
   *
   * @throws IOException when it does not in two minutes, or when a process ends; with the end of
   *     the last log
   */
  void await(String what, Condition condition) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + READY_LIMIT.toNanos();
    @Nullable IOException last = null;
    while (true) {
      check();
      try {
        if (condition.holds()) {
          return;
        }
      } catch (IOException notYet) {
        last = notYet;
      }
      if (System.nanoTime() - deadline >= 0) {
        throw new IOException(
            what + ": not within " + READY_LIMIT.toSeconds() + " s; " + logOf(last()), last);
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  /** Fails if a process has ended. */
  synchronized void check() throws IOException {
    for (Member member : members) {
      if (!member.process.isAlive()) {
        throw new IOException(
            member.name + " ended with " + member.process.exitValue() + ": " + logOf(member));
      }
    }
  }

  private synchronized Member last() {
    return members.getLast();
  }

  private static String logOf(Member member) throws IOException {
    String tail = tail(member.log).strip();
    return tail.isEmpty() ? member.log + " is empty" : member.log + " ends with\n" + tail;
  }

  /** The end of a file, which a program that failed again and again may have made large. */
  private static String tail(Path file) throws IOException {
    if (!Files.exists(file)) {
      return "";
    }
    try (InputStream input = Files.newInputStream(file)) {
      input.skipNBytes(Math.max(0, Files.size(file) - LOG_TAIL));
      return new String(input.readNBytes(LOG_TAIL), StandardCharsets.UTF_8);
    }
  }

  /** All processes, children included. */
  synchronized List<ProcessHandle> handles() {
    return members.stream()
        .map(member -> member.process.toHandle())
        .flatMap(handle -> Stream.concat(Stream.of(handle), handle.descendants()))
        .filter(ProcessHandle::isAlive)
        .toList();
  }

  private static void closeAll() {
    for (ProgramProcesses group : List.copyOf(OPEN)) {
      try {
        group.close();
      } catch (IOException e) {
        System.err.println("forebay lab: " + e.getMessage());
      }
    }
  }

  /** Ends the last started process first. */
  @Override
  public synchronized void close() throws IOException {
    OPEN.remove(this);
    boolean isInterrupted = false;
    for (Member member : members.reversed()) {
      isInterrupted |= end(member.process);
    }
    members.clear();
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    try {
      for (Path place : scratch.reversed()) {
        delete(place);
      }
      scratch.clear();
    } finally {
      cleanup.close();
    }
  }

  /** Asks a process to end, then makes it and its children; whether the wait was interrupted. */
  private static boolean end(Process process) {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroy();
    boolean isInterrupted = false;
    try {
      if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      isInterrupted = true;
      process.destroyForcibly();
    }
    process.onExit().join();
    children.forEach(ProcessHandle::destroyForcibly);
    // One that is dead may stay in the table of a container whose first process collects nobody.
    long deadline = System.nanoTime() + KILL_LIMIT.toNanos();
    while (children.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
    }
    return isInterrupted;
  }

  private static void delete(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
