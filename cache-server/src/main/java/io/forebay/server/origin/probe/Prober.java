package io.forebay.server.origin.probe;

import io.forebay.server.origin.health.ProbeStatus;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes endpoints, each at its interval, on one thread that never blocks. At most 32 probes run at
 * the same time; what is due beyond that waits for its turn.
 */
public final class Prober implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Prober.class);

  /** Probes that run at the same time (I5). */
  static final int MAX_RUNNING = 32;

  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop loop;
  private final ByteBufAllocator allocator;
  private final RandomGenerator random;
  private final LongSupplier clockMillis;
  private final ProbeLog log;
  private final Function<Throwable, String> tlsProblem;

  // Confined to the thread.
  private final ArrayDeque<ProbedEndpoint> waiting = new ArrayDeque<>();
  private int running;

  /**
   * Nothing is probed yet. The thread starts with the first task.
   *
   * @param random for the jitter of intervals; used on the thread alone
   * @param clockMillis wall clock
   * @param clockNanos monotonic
   * @param log gets a line when a verdict changes
   * @param tlsProblem says why a TLS handshake failed
   */
  public Prober(
      ByteBufAllocator allocator,
      RandomGenerator random,
      LongSupplier clockMillis,
      LongSupplier clockNanos,
      Consumer<String> log,
      Function<Throwable, String> tlsProblem) {
    this.group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("probes", true), NioIoHandler.newFactory());
    this.loop = group.next();
    this.allocator = allocator;
    this.random = random;
    this.clockMillis = clockMillis;
    this.log = new ProbeLog(clockNanos, log);
    this.tlsProblem = tlsProblem;
  }

  /** Runs a task on the prober's thread. */
  public void execute(Runnable task) {
    loop.execute(task);
  }

  /** Runs it every so often, until the prober is closed; a defect of it does not end this. */
  public void every(long periodMillis, Runnable task) {
    loop.schedule(
        () -> {
          try {
            task.run();
          } catch (RuntimeException e) {
            LOG.error("probes", e);
          }
          every(periodMillis, task);
        },
        periodMillis,
        TimeUnit.MILLISECONDS);
  }

  /**
   * Begins to probe an endpoint. On the thread.
   *
   * @param listener gets the status after each probe, on the thread
   */
  public ProbedEndpoint probe(
      ProbeTarget target, ProbeCounters counters, Consumer<ProbeStatus> listener) {
    ProbedEndpoint endpoint = new ProbedEndpoint(this, target, counters, listener);
    endpoint.onDue();
    return endpoint;
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  // For endpoints.

  EventLoop loop() {
    return loop;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  RandomGenerator random() {
    return random;
  }

  ProbeLog log() {
    return log;
  }

  Function<Throwable, String> tlsProblem() {
    return tlsProblem;
  }

  long nowMillis() {
    return clockMillis.getAsLong();
  }

  /** Runs the probe of an endpoint now, or when others have ended. */
  void admit(ProbedEndpoint endpoint) {
    if (running < MAX_RUNNING) {
      running++;
      endpoint.run();
    } else {
      waiting.addLast(endpoint);
    }
  }

  /** A probe that was admitted ended. */
  void onEnded() {
    running--;
    while (running < MAX_RUNNING) {
      ProbedEndpoint next = waiting.pollFirst();
      if (next == null) {
        return;
      }
      if (!next.isStopped()) {
        running++;
        next.run();
      }
    }
  }
}
