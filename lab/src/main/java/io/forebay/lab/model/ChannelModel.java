package io.forebay.lab.model;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How many live channels a cache holds: cache ÷ segment set ÷ segments of the buffer. A segment set
 * is one segment in all renditions. GB and MB are 10^9 and 10^6 bytes.
 *
 * @param segmentSetMegabytes of one segment in all renditions
 * @param segments in the buffer
 * @param segmentSeconds of one
 * @param sockets of a server
 * @param machines virtual machines of a server
 */
public record ChannelModel(
    double segmentSetMegabytes, int segments, int segmentSeconds, int sockets, int machines) {

  /** AT&amp;T's: 25 MB, 60 segments of 6 s, two sockets, four virtual machines. */
  public static final ChannelModel PUBLISHED = new ChannelModel(25, 60, 6, 2, 4);

  /** AT&amp;T's servers, with the channels that the paper gives for a virtual machine. */
  public static final List<Cache> PUBLISHED_CACHES =
      List.of(
          new Cache("DRAM 768 GB", 4 * 144, 100.0),
          new Cache("DUT1, DRAM 192 GB + PMem 1 TB", 4 * 256, 175.0),
          new Cache("DUT2, PMem 1.5 TB", 4 * 384, 250.0),
          new Cache("3rd generation, PMem 2 TB", 4 * 512, 325.0));

  /** Sum of the eleven objects of AT&amp;T's table 3. */
  private static final double TABLE_MEGABYTES = 26.024;

  private static final double MEGABYTES = 1000;
  private static final int MAX_COUNT = 1_000_000;

  public ChannelModel {
    Positive.check("segment set in MB", segmentSetMegabytes);
    if (segments < 1 || segmentSeconds < 1 || sockets < 1 || machines < 1) {
      throw new IllegalArgumentException(
          "segments, seconds of a segment, sockets and VMs: write at least 1");
    }
    if (segments > MAX_COUNT || segmentSeconds > MAX_COUNT) {
      throw new IllegalArgumentException("segments and their seconds: write at most " + MAX_COUNT);
    }
  }

  /**
   * The cache of a server.
   *
   * @param gigabytes of all its virtual machines
   * @param publishedPerMachine channels that a publication gives for one, or null
   */
  public record Cache(String name, double gigabytes, @Nullable Double publishedPerMachine) {

    public Cache {
      Positive.check("cache in GB", gigabytes);
    }
  }

  /**
   * What a cache holds.
   *
   * @param rewritesPerDay how often the buffer is written anew
   */
  public record Channels(
      String name,
      double gigabytes,
      double perServer,
      double perSocket,
      double perMachine,
      @Nullable Double publishedPerMachine,
      double rewritesPerDay) {}

  /** Channels of one cache. */
  public Channels of(Cache cache) {
    double server = cache.gigabytes * MEGABYTES / segmentSetMegabytes / segments;
    return new Channels(
        cache.name,
        cache.gigabytes,
        server,
        server / sockets,
        server / machines,
        cache.publishedPerMachine,
        EnduranceModel.DAY_SECONDS / ((double) segments * segmentSeconds));
  }

  /** Where the publication has another number of channels than the formula. */
  public List<Discrepancy> discrepancies(List<Cache> caches) {
    return caches.stream().filter(this::differs).map(this::discrepancy).toList();
  }

  private boolean differs(Cache cache) {
    return cache.publishedPerMachine != null
        && Math.round(of(cache).perMachine) != Math.round(cache.publishedPerMachine);
  }

  private Discrepancy discrepancy(Cache cache) {
    double published = cache.publishedPerMachine == null ? 0 : cache.publishedPerMachine;
    double set = cache.gigabytes * MEGABYTES / machines / published / segments;
    double byTable = cache.gigabytes * MEGABYTES / machines / TABLE_MEGABYTES / segments;
    return new Discrepancy(
        "channels of a VM, " + cache.name,
        String.format(Locale.ROOT, "%.0f", published),
        String.format(Locale.ROOT, "%.0f", of(cache).perMachine),
        String.format(
            Locale.ROOT,
            "the paper rounds: %.0f is a segment set of %.1f MB; the 26,024 KB of its table 3 give"
                + " %.0f",
            published,
            set,
            byTable));
  }
}
