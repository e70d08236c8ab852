package io.forebay.lab.target;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A program that runs, whichever it is. */
final class StartedTarget implements RunningTarget {

  /** Such paths are no syntax in any configuration that the lab writes. */
  private static final Pattern PLAIN_PATH = Pattern.compile("[A-Za-z0-9._/+-]+");

  private final URI address;
  private final ProgramProcesses group;
  private final Counting counting;
  private final Sizing sizing;

  /** Reads a program's counters. */
  @FunctionalInterface
  interface Counting {
    Counters counters() throws IOException, InterruptedException;
  }

  /** Asks a program for its miss-ratio curve. */
  @FunctionalInterface
  interface Sizing {
    MissRatioCurve curve() throws IOException, InterruptedException;
  }

  /** Starts the processes of a program in a group and returns when it is ready. */
  @FunctionalInterface
  interface Starting {
    StartedTarget start(ProgramProcesses group) throws IOException, InterruptedException;
  }

  StartedTarget(URI address, ProgramProcesses group, Counting counting, Sizing sizing) {
    this.address = address;
    this.group = group;
    this.counting = counting;
    this.sizing = sizing;
  }

  /** Of a program without an estimate. */
  StartedTarget(URI address, ProgramProcesses group, Counting counting) {
    this(address, group, counting, () -> MissRatioCurve.NONE);
  }

  /** Starts a program; a failure leaves nothing behind. */
  static StartedTarget start(TargetSpec spec, Starting starting)
      throws IOException, InterruptedException {
    requirePlainPaths(spec);
    Files.createDirectories(spec.directory());
    ProgramProcesses group = new ProgramProcesses(spec.directory().toAbsolutePath());
    try {
      return starting.start(group);
    } catch (IOException | InterruptedException | RuntimeException failed) {
      try {
        group.close();
      } catch (IOException e) {
        failed.addSuppressed(e);
      }
      throw failed;
    }
  }

  private static void requirePlainPaths(TargetSpec spec) {
    List<Path> paths = new ArrayList<>(spec.disks());
    paths.add(spec.directory());
    if (spec.tls() != null) {
      paths.addAll(List.of(spec.tls().certificate(), spec.tls().key(), spec.tls().authority()));
    }
    for (Path path : paths) {
      if (!PLAIN_PATH.matcher(path.toAbsolutePath().toString()).matches()) {
        throw new IllegalArgumentException(
            path.toAbsolutePath()
                + ": choose a path of letters, digits and . _ + - only; configurations would read"
                + " others as syntax");
      }
    }
  }

  /** Where clients go. */
  static URI address(TargetSpec spec, int port) {
    return URI.create((spec.tls() == null ? "http" : "https") + "://" + spec.host() + ":" + port);
  }

  /** For what no program but Forebay does here. */
  static void refuseHttp3(TargetSpec spec, String title) {
    if (spec.http3()) {
      throw new UnsupportedOperationException(title + ", as Debian builds it, has no HTTP/3.");
    }
  }

  @Override
  public URI address() {
    return address;
  }

  @Override
  public List<ProcessHandle> processes() {
    return group.handles();
  }

  @Override
  public Counters counters() throws IOException, InterruptedException {
    group.check();
    return counting.counters();
  }

  @Override
  public long memoryForHitRatio(double hitRatio) throws IOException, InterruptedException {
    return sizing.curve().memoryForHitRatio(hitRatio);
  }

  @Override
  public long memoryForByteHitRatio(double byteHitRatio) throws IOException, InterruptedException {
    return sizing.curve().memoryForByteHitRatio(byteHitRatio);
  }

  @Override
  public void close() throws IOException {
    group.close();
  }
}
