package io.forebay.lab.target;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How a program is to be started.
 *
 * @param directory of its files, empty at first
 * @param origin that it caches
 * @param memoryBytes of its memory tier
 * @param diskBytes of its disk tier; 0 for none
 * @param loops event loops, worker processes or threads; 0 for its default
 * @param cpus that it runs on as for {@code taskset -c}, such as {@code 0-3}; null for all
 * @param numaNode whose memory it takes, or -1
 * @param tls certificate and key, or null for plain HTTP
 * @param http3 whether it also listens for QUIC
 */
public record TargetSpec(
    Path directory,
    URI origin,
    long memoryBytes,
    long diskBytes,
    int loops,
    @Nullable String cpus,
    int numaNode,
    @Nullable Tls tls,
    boolean http3) {

  /** PEM files. */
  public record Tls(Path certificate, Path key, Path authority) {}
}
