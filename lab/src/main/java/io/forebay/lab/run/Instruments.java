package io.forebay.lab.run;

import io.forebay.lab.load.LoadGenerator;
import io.forebay.lab.target.TargetSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a run uses of the world.
 *
 * @param origins starts origins
 * @param certificates of servers, with their authority
 * @param warmer fetches every object once
 * @param loads load generators by name
 * @param network between clients and servers
 * @param clients where clients run
 * @param meter measures the machine
 * @param machine what it has
 * @param facts of the machine, for the results
 * @param clock for the time of the start
 * @param directory below which each bed has a directory of its own
 */
record Instruments(
    OriginStarter origins,
    Certificates certificates,
    Warmer warmer,
    Loads loads,
    PacketNetwork network,
    Clients clients,
    Meter meter,
    Machine machine,
    Supplier<Map<String, Object>> facts,
    InstantSource clock,
    Path directory)
    implements AutoCloseable {

  /** Ends what beds share. */
  @Override
  public void close() throws IOException {
    try {
      origins.close();
    } finally {
      certificates.close();
    }
  }

  /**
   * Where clients run.
   *
   * @param isHere on this machine, and share its cores with the server
   * @param cores that they may use on other hosts
   * @param server address of this machine that they connect to
   */
  record Clients(boolean isHere, int cores, InetAddress server) {
    static final Clients HERE = here(TargetSpec.LOOPBACK);

    static Clients here(InetAddress server) {
      return new Clients(true, 0, server);
    }
  }

  /** Certificates of servers. */
  @FunctionalInterface
  interface Certificates extends AutoCloseable {

    /** One with its authority, the same for all beds. */
    TargetSpec.Tls get() throws IOException, InterruptedException;

    /** Removes its files. */
    @Override
    default void close() throws IOException {}
  }

  /** Load generators by name. */
  @FunctionalInterface
  interface Loads {

    /**
     * One of {@code own}, {@code wrk} and {@code h2load}.
     *
     * @throws UnsupportedOperationException where it is not installed, saying what to install
     */
    LoadGenerator named(String name);
  }
}
