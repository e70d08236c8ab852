package io.forebay.lab.scenario;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is started for a step: an origin with its objects, and the server.
 *
 * @param objects with the count that the footprint gives
 * @param footprintBytes of all objects
 * @param sizedBy hit ratio that the store's size is set by, or null where it is as configured
 * @param channels that the objects belong to; 0 where they are none
 */
public record Setup(
    Server server,
    Origin origin,
    List<ObjectRow> objects,
    long footprintBytes,
    long channels,
    Popularity popularity,
    @Nullable HitRatio sizedBy,
    Tier tier,
    boolean tls,
    Protocol protocol,
    Network network) {

  public Setup {
    objects = List.copyOf(objects);
  }

  /**
   * The same with another number of channels.
   *
   * @param segments of each object that a channel has at a time
   */
  public Setup withChannels(long count, long segments) {
    List<ObjectRow> rows =
        objects.stream().map(row -> row.withCount(Math.multiplyExact(count, segments))).toList();
    return with(server, rows, count);
  }

  /** The same with a store of other sizes. */
  public Setup withStore(long memoryBytes, long diskBytes) {
    Server sized =
        new Server(
            memoryBytes, diskBytes, server.loops, server.instances, server.cpus, server.numaNode);
    return with(sized, objects, channels);
  }

  /** The same with so many loops of each instance; 0 for as many as it has cores. */
  Setup withLoops(int loops) {
    Server threaded =
        new Server(
            server.memoryBytes,
            server.diskBytes,
            loops,
            server.instances,
            server.cpus,
            server.numaNode);
    return with(threaded, objects, channels);
  }

  /** The same with one of its objects alone. */
  Setup withOnly(ObjectRow row) {
    return with(server, List.of(row), channels);
  }

  private Setup with(Server otherServer, List<ObjectRow> otherObjects, long otherChannels) {
    return new Setup(
        otherServer,
        origin,
        otherObjects,
        footprint(otherObjects),
        otherChannels,
        popularity,
        sizedBy,
        tier,
        tls,
        protocol,
        network);
  }

  static long footprint(List<ObjectRow> rows) {
    long sum = 0;
    for (ObjectRow row : rows) {
      sum = Math.addExact(sum, Math.multiplyExact(row.bytes(), row.count()));
    }
    return sum;
  }

  /**
   * The program under test.
   *
   * @param memoryBytes of the memory tiers of all instances
   * @param diskBytes of the disk tiers of all instances; 0 for none
   * @param loops event loops or workers of an instance; 0 for as many as it has cores
   * @param instances that share the load, each on a NUMA node of its own where there are enough of
   *     them, otherwise on a part of the cores
   * @param cpus that they run on as for {@code taskset -c}; {@code loops} for the first ones, as
   *     many as there are loops; null for all
   * @param numaNode whose memory a single instance takes, or -1
   */
  public record Server(
      long memoryBytes,
      long diskBytes,
      int loops,
      int instances,
      @Nullable String cpus,
      int numaNode) {}

  /**
   * The origin.
   *
   * @param bytesPerSecond of each response; 0 for no bound
   */
  public record Origin(int threads, int latencyMillis, long bytesPerSecond, int maxAgeSeconds) {}

  /**
   * The wanted share of hits.
   *
   * @param wanted 0 to 1
   * @param of what it is a share
   */
  public record HitRatio(double wanted, HitRatioOf of, HitRatioBy by) {}

  /** What hits are a share of. */
  public enum HitRatioOf {
    REQUESTS,
    BYTES
  }

  /** What the hit ratio is set with. */
  public enum HitRatioBy {
    /** All objects fit; the rest of the requests go to names that were never asked for. */
    FRESH_NAMES,
    /** The store is made larger or smaller until the measured ratio is right. */
    STORE_SIZE,
    /** The node's own miss-ratio curve says the size; otherwise as {@link #STORE_SIZE}. */
    ESTIMATED
  }

  /** Where hits are to come from. */
  public enum Tier {
    MEMORY,
    DISK
  }

  /** How files of an object are drawn. */
  public enum Popularity {
    UNIFORM,
    ZIPF,
    SEQUENTIAL
  }

  /** Of clients' connections. */
  public enum Protocol {
    HTTP1,
    HTTP2,
    HTTP3
  }

  /**
   * Between clients and server.
   *
   * @param delayMillis of each packet, one way
   * @param loss of packets, 0 to 1
   */
  public record Network(int delayMillis, double loss) {
    public static final Network PLAIN = new Network(0, 0);

    public boolean isPlain() {
      return delayMillis == 0 && loss == 0;
    }
  }
}
