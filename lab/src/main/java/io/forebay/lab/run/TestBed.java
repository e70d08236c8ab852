package io.forebay.lab.run;

import io.forebay.lab.origin.OriginOptions;
import io.forebay.lab.scenario.Setup;
import io.forebay.lab.target.OtherCores;
import io.forebay.lab.target.RunningTarget.Counters;
import io.forebay.lab.target.Target;
import io.forebay.lab.target.TargetGroup;
import io.forebay.lab.target.TargetSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An origin and a program, started and filled for the steps of one set-up. */
final class TestBed implements AutoCloseable {
  static final long ORIGIN_SEED = 1;

  private final Setup setup;
  private final Path directory;
  private @Nullable TargetGroup servers;
  private OriginStarter.@Nullable Running origin;
  private @Nullable Path trust;

  private TestBed(Setup setup, Path directory) {
    this.setup = setup;
    this.directory = directory;
  }

  /**
   * Starts all and fetches every object once from every instance.
   *
   * @throws UnsupportedOperationException where the program can't do what the set-up asks for
   */
  static TestBed open(Instruments instruments, Target target, Setup setup, Progress progress)
      throws IOException, InterruptedException {
    TestBed bed =
        new TestBed(setup, Files.createTempDirectory(instruments.directory(), "forebay-lab-"));
    try {
      bed.start(instruments, target, progress);
      return bed;
    } catch (IOException | InterruptedException | RuntimeException failed) {
      try {
        bed.close();
      } catch (IOException alsoFailed) {
        failed.addSuppressed(alsoFailed);
      }
      throw failed;
    }
  }

  private void start(Instruments instruments, Target target, Progress progress)
      throws IOException, InterruptedException {
    OtherCores.use(List.of(), null);
    Setup.Server server = setup.server();
    Setup.Network network = setup.network();
    boolean isEmulated = instruments.network().isAvailable();
    if (network.loss() > 0 && !isEmulated) {
      throw new UnsupportedOperationException(
          "loss of packets needs root, ip, tc and clients on this host");
    }
    // Where packets can't be delayed, responses that come from the origin are.
    OriginStarter.Running started =
        instruments.origins().start(originOptions(isEmulated ? 0 : network.delayMillis()));
    origin = started;
    TargetSpec.@Nullable Tls tls = setup.tls() ? instruments.certificates().get() : null;
    trust = tls == null ? null : tls.authority();
    TargetSpec whole =
        new TargetSpec(
                directory.resolve("server"),
                started.address(),
                server.memoryBytes(),
                server.diskBytes(),
                server.loops() * server.instances(),
                instruments.machine().cpus(server),
                server.numaNode(),
                tls,
                setup.protocol() == Setup.Protocol.HTTP3)
            .withAddress(instruments.clients().server());
    List<TargetSpec> parts = TargetGroup.divide(whole, server.instances());
    for (TargetSpec part : parts) {
      Files.createDirectories(part.directory());
    }
    TargetGroup group = TargetGroup.start(target, parts);
    servers = group;
    progress.preparing(target.name(), "fill");
    instruments.network().apply(Setup.Network.PLAIN, List.of());
    instruments.warmer().warm(addresses(), setup.objects(), trust);
    instruments.network().apply(network, addresses());
  }

  private OriginOptions originOptions(int moreMillis) {
    Setup.Origin wanted = setup.origin();
    return new OriginOptions(
        0,
        wanted.threads(),
        wanted.latencyMillis() + moreMillis,
        wanted.bytesPerSecond(),
        0,
        wanted.maxAgeSeconds(),
        false,
        ORIGIN_SEED);
  }

  Setup setup() {
    return setup;
  }

  List<URI> addresses() {
    return servers().addresses();
  }

  /** PEM file of the authority of the servers' certificates, or null without TLS. */
  @Nullable Path trust() {
    return trust;
  }

  List<ProcessHandle> serverProcesses() {
    return servers().processes();
  }

  List<ProcessHandle> originProcesses() {
    OriginStarter.Running running = origin;
    return running == null ? List.of() : running.processes();
  }

  /** That the origin has answered so far; -1 where it is not known. */
  long originRequests() throws IOException {
    return Objects.requireNonNull(origin, "started").requests();
  }

  /** Of all instances together; -1 where one does not count. */
  Counters counters() throws IOException, InterruptedException {
    return servers().counters();
  }

  /** Memory of all instances together that gives a hit ratio by their own estimates, or -1. */
  long memoryFor(Setup.HitRatio ratio) throws IOException, InterruptedException {
    return ratio.of() == Setup.HitRatioOf.BYTES
        ? servers().memoryForByteHitRatio(ratio.wanted())
        : servers().memoryForHitRatio(ratio.wanted());
  }

  private TargetGroup servers() {
    return Objects.requireNonNull(servers, "started");
  }

  /** Stops all, the servers first, and removes the directory. */
  @Override
  public void close() throws IOException {
    List<AutoCloseable> all = new ArrayList<>();
    if (origin != null) {
      all.add(origin);
    }
    if (servers != null) {
      all.add(servers);
    }
    servers = null;
    origin = null;
    @Nullable IOException failure = null;
    for (AutoCloseable one : all.reversed()) {
      try {
        one.close();
      } catch (Exception failed) {
        failure = joined(failure, failed);
      }
    }
    try {
      Directories.delete(directory);
    } catch (IOException failed) {
      failure = joined(failure, failed);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static IOException joined(@Nullable IOException first, Exception next) {
    if (first == null) {
      return next instanceof IOException same ? same : new IOException(next);
    }
    first.addSuppressed(next);
    return first;
  }
}
