package io.forebay.cli.doctor;

import io.forebay.server.StartDryRun;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.loop.CpuPlan;
import io.forebay.server.loop.Transport;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is examined.
 *
 * @param configured where the configuration is from, for people
 * @param warnings of the configuration
 * @param start the memory of a start
 * @param clock null where the kernel does not tell
 * @param outside null where nothing beyond this machine is to be asked
 */
record Subject(
    KernelFiles machine,
    CpuPlan.Machine cpus,
    FileSpace space,
    JvmFacts java,
    ServerConfig config,
    String configured,
    List<String> warnings,
    StartDryRun start,
    @Nullable KernelClock clock,
    Instant now,
    @Nullable Outside outside) {

  Subject {
    warnings = List.copyOf(warnings);
  }

  /** Event loops that the node would have. */
  int loops() {
    return Transport.loopCount(config.threads(), cpus);
  }

  /** Connections to all origins at once, at most. */
  long originConnections() {
    return config.origins().stream().mapToLong(ServerConfig.OriginConfig::maxConnections).sum();
  }
}
