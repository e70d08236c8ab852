package io.forebay.lab.target;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a program is to be started.
 *
 * @param directory of its files, empty at first
 * @param origin that it caches
 * @param memoryBytes of its memory tier
 * @param diskBytes of its disk tier; 0 for none
 * @param disks directories, one a disk, that {@code diskBytes} are divided among; empty for one
 *     below {@code directory}. What is put there is removed at the end
 * @param loops event loops, worker processes or threads; 0 for one for each CPU
 * @param cpus that it runs on as for {@code taskset -c}, such as {@code 0-3}; null for all
 * @param numaNode whose memory it takes, or -1
 * @param tls certificate and key, or null for plain HTTP
 * @param http3 whether it also listens for QUIC
 * @param address of this host that it listens on and clients connect to; what the lab alone asks it
 *     stays on loopback
 */
public record TargetSpec(
    Path directory,
    URI origin,
    long memoryBytes,
    long diskBytes,
    List<Path> disks,
    int loops,
    @Nullable String cpus,
    int numaNode,
    @Nullable Tls tls,
    boolean http3,
    InetAddress address) {
  public static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

  public TargetSpec {
    disks = List.copyOf(disks);
    if (http3 && tls == null) {
      throw new IllegalArgumentException("HTTP/3 needs a certificate");
    }
    if (!"http".equals(origin.getScheme()) || origin.getHost() == null) {
      throw new IllegalArgumentException("the origin is no http://HOST:PORT: " + origin);
    }
  }

  /** On loopback, with its disk tier, if any, below its directory. */
  public TargetSpec(
      Path directory,
      URI origin,
      long memoryBytes,
      long diskBytes,
      int loops,
      @Nullable String cpus,
      int numaNode,
      @Nullable Tls tls,
      boolean http3) {
    this(
        directory,
        origin,
        memoryBytes,
        diskBytes,
        List.of(),
        loops,
        cpus,
        numaNode,
        tls,
        http3,
        LOOPBACK);
  }

  /** PEM files. */
  public record Tls(Path certificate, Path key, Path authority) {}

  /** For clients that connect to another address of this host; the rest is the same. */
  public TargetSpec withAddress(InetAddress other) {
    return new TargetSpec(
        directory, origin, memoryBytes, diskBytes, disks, loops, cpus, numaNode, tls, http3, other);
  }

  boolean isOnLoopback() {
    return address.equals(LOOPBACK);
  }

  /** The address as configurations and URLs have it: that of IPv6 in brackets. */
  String host() {
    String host = address.getHostAddress();
    return address instanceof Inet6Address ? "[" + host + "]" : host;
  }

  boolean hasDisk() {
    return diskBytes > 0;
  }

  /** Where the disk tier is put; empty without one. */
  List<Path> diskPlaces() {
    if (!hasDisk()) {
      return List.of();
    }
    return disks.isEmpty() ? List.of(directory.toAbsolutePath()) : disks;
  }

  /** Host and port of the origin. */
  String originAddress() {
    return origin.getHost() + ":" + originPort();
  }

  int originPort() {
    return origin.getPort() < 0 ? 80 : origin.getPort();
  }

  /** Threads or processes of a program that does not look at its CPUs itself. */
  int threads() {
    return loops > 0 ? loops : cpuList().size();
  }

  /** CPUs that it may run on. */
  CpuList cpuList() {
    return cpus == null ? CpuList.available() : CpuList.parse(cpus);
  }
}
