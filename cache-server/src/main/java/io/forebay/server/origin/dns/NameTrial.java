package io.forebay.server.origin.dns;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One lookup of a name as a node would make it, without a node and without a cache.
 *
 * @param addresses none where it failed
 * @param ttlSeconds how long the answer holds; of the hosts file a few seconds
 * @param nanos how long it took
 * @param failure why there are none, or null
 */
public record NameTrial(
    List<InetAddress> addresses, long ttlSeconds, long nanos, @Nullable String failure) {

  public NameTrial {
    addresses = List.copyOf(addresses);
  }

  /**
   * Looks all names up at once; blocks until all answers are there or the time is over.
   *
   * @param names hosts, and SRV names behind {@link NameResolver#SRV}
   */
  public static Map<String, NameTrial> of(
      NamePlaces places, Collection<String> names, Duration most) {
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("names", true), NioIoHandler.newFactory());
    try {
      EventLoop thread = group.next();
      DnsLookup lookup = new DnsLookup(thread, places);
      long start = System.nanoTime();
      Map<String, CompletableFuture<NameTrial>> asked = new LinkedHashMap<>();
      for (String name : names) {
        CompletableFuture<NameTrial> trial = new CompletableFuture<>();
        asked.put(name, trial);
        thread.execute(
            () -> lookup.lookup(name, List.of(), answer -> trial.complete(of(answer, start))));
      }
      Map<String, NameTrial> trials = new LinkedHashMap<>();
      asked.forEach((name, trial) -> {
        long left = most.toNanos() - (System.nanoTime() - start);
        NameTrial late =
            new NameTrial(
                List.of(), 0, most.toNanos(), "no answer within " + most.toSeconds() + " s");
        trials.put(
            name, trial.completeOnTimeout(late, Math.max(0, left), TimeUnit.NANOSECONDS).join());
      });
      return trials;
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private static NameTrial of(NameLookup.Answer answer, long start) {
    return new NameTrial(
        answer.addresses(), answer.ttlSeconds(), System.nanoTime() - start, answer.failure());
  }
}
