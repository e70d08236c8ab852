package io.forebay.lab.load.client;

import io.forebay.lab.load.ClientLines;
import io.forebay.lab.load.LoadPlan;
import io.forebay.lab.load.Measured;
import io.forebay.lab.load.RequestDraw;
import io.forebay.lab.load.SecondCounts;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs one plan and tells what came of it, in the lines of {@link ClientLines}. */
public final class Client {
  private static final long SECOND_NANOS = 1_000_000_000L;

  /** A second is told a while after it is over, when its last events have been counted. */
  private static final long GRACE_NANOS = 50_000_000;

  private static final long PATIENCE_SECONDS = 60;
  private static final long MAX_READY_MILLIS = 10_000;

  private final LoadPlan plan;
  private final Options options;
  private final @Nullable BodyCheck check;
  private final Consumer<String> out;

  /**
   * How a process takes part.
   *
   * @param threads event loops
   * @param index of this process among those of the load, from 0
   * @param processes how many these are
   * @param isCoordinated whether it begins when told to, instead of at once
   */
  public record Options(int threads, int index, int processes, boolean isCoordinated) {}

  /**
   * A client.
   *
   * @param check for plans that compare bytes; null if there is none
   * @param out takes the lines
   */
  public Client(LoadPlan plan, Options options, @Nullable BodyCheck check, Consumer<String> out) {
    this.plan = plan.checked();
    this.options = options;
    this.check = check;
    this.out = out;
    if (plan.bodySeed() != null && check == null) {
      throw new IllegalArgumentException("this client cannot compare bytes: bodySeed must be null");
    }
  }

  /**
   * Runs the plan. Ends early, with an error, when {@code in} ends.
   *
   * @param in what the parent says after the plan; null when there is no parent
   */
  public void run(@Nullable BufferedReader in) throws IOException, InterruptedException {
    int threads = Math.min(options.threads(), plan.connections());
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            threads, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    CompletableFuture<Void> stopped = new CompletableFuture<>();
    CompletableFuture<Long> started = new CompletableFuture<>();
    List<Connector> connectors = new ArrayList<>();
    try (ClientTls tls = plan.usesTls() ? new ClientTls(plan) : null) {
      List<ClientLoop> loops = loops(group, threads, tls, connectors);
      if (in != null) {
        Thread.ofPlatform().daemon().name("parent").start(() -> listen(in, started, stopped));
      }
      run(loops, started, stopped);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("the load did not end in time", e);
    } finally {
      group
          .shutdownGracefully(0, 1, TimeUnit.SECONDS)
          .addListener(done -> connectors.forEach(Connector::close));
    }
  }

  private List<ClientLoop> loops(
      EventLoopGroup group, int threads, @Nullable ClientTls tls, List<Connector> connectors)
      throws IOException {
    List<Slot.Target> targets = new ArrayList<>();
    for (URI uri : plan.targets()) {
      targets.add(target(uri));
    }
    List<List<Slot>> slots = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      slots.add(new ArrayList<>());
    }
    for (int i = 0; i < plan.connections(); i++) {
      // Processes begin with different targets.
      Slot.Target target = targets.get((i + options.index()) % targets.size());
      slots.get(i % threads).add(new Slot(i, target));
    }
    Instant now = Instant.now();
    List<ClientLoop> loops = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      EventLoop thread = group.next();
      Connector connector = new Connector(plan, tls);
      connectors.add(connector);
      RequestDraw draw =
          new RequestDraw(plan, options.index() * threads + i, options.processes() * threads, now);
      loops.add(
          new ClientLoop(
              plan,
              thread,
              draw,
              i,
              threads,
              connector,
              slots.get(i),
              plan.bodySeed() == null ? null : check));
    }
    return loops;
  }

  private static Slot.Target target(URI uri) throws IOException {
    String host = uri.getHost();
    InetAddress address = InetAddress.getByName(host);
    return new Slot.Target(
        uri.getScheme().equals("https"),
        host,
        host + ":" + uri.getPort(),
        new InetSocketAddress(address, uri.getPort()));
  }

  /** Answers for the clock, and hears when to begin, until the parent is gone. */
  private void listen(
      BufferedReader in, CompletableFuture<Long> started, CompletableFuture<Void> stopped) {
    try {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        long start = ClientLines.start(line);
        if (start < 0) {
          out.accept(ClientLines.clock(micros()));
        } else {
          started.complete(start);
        }
      }
      stopped.completeExceptionally(new IOException("standard input ended: the load is stopped"));
    } catch (IOException | IllegalArgumentException e) {
      stopped.completeExceptionally(e);
    }
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private void run(
      List<ClientLoop> loops, CompletableFuture<Long> started, CompletableFuture<Void> stopped)
      throws InterruptedException, ExecutionException, TimeoutException {
    int open = 0;
    long readyBy =
        System.nanoTime()
            + TimeUnit.MILLISECONDS.toNanos(Math.min(plan.timeoutMillis(), MAX_READY_MILLIS));
    List<CompletableFuture<Integer>> ready = loops.stream().map(ClientLoop::open).toList();
    for (CompletableFuture<Integer> one : ready) {
      try {
        open += until(one, stopped, readyBy);
      } catch (TimeoutException slow) {
        // The load begins with those that are open.
      }
    }
    long begin = System.nanoTime();
    if (options.isCoordinated()) {
      out.accept(ClientLines.ready(open));
      long at = until(started, stopped, begin + PATIENCE_SECONDS * SECOND_NANOS);
      begin = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(at - micros());
    }
    long start = begin;
    List<CompletableFuture<Void>> ends = loops.stream().map(loop -> loop.start(start)).toList();
    CpuMeter cpu = follow(loops, start, stopped);
    long bound =
        start
            + (long) (plan.seconds() * SECOND_NANOS)
            + TimeUnit.MILLISECONDS.toNanos(2L * plan.timeoutMillis())
            + PATIENCE_SECONDS * SECOND_NANOS;
    for (CompletableFuture<Void> end : ends) {
      until(end, stopped, bound);
    }
    tell(loops, cpu, bound);
  }

  private static <T> T until(
      CompletableFuture<T> future, CompletableFuture<Void> stopped, long nanoTime)
      throws InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture.anyOf(future, stopped)
        .get(Math.max(1, nanoTime - System.nanoTime()), TimeUnit.NANOSECONDS);
    return future.get(0, TimeUnit.NANOSECONDS);
  }

  /** Tells each second when it is over, and measures the CPU of the phases that count. */
  private CpuMeter follow(List<ClientLoop> loops, long start, CompletableFuture<Void> stopped)
      throws InterruptedException, ExecutionException {
    CpuMeter cpu = new CpuMeter(new Phases(plan.phases()));
    int planned = (int) Math.ceil(plan.seconds() - 1e-9);
    for (int second = 0; second < planned; second++) {
      long over =
          Math.min((second + 1) * SECOND_NANOS, (long) (plan.seconds() * SECOND_NANOS))
              + GRACE_NANOS;
      while (cpu.next() < over) {
        sleepUntil(start + cpu.next(), stopped);
        cpu.cross();
      }
      sleepUntil(start + over, stopped);
      SecondCounts counts = new SecondCounts(second);
      for (ClientLoop loop : loops) {
        int taken = second;
        counts.add(loop.thread().submit(() -> loop.tally().take(taken)).get());
      }
      out.accept(ClientLines.second(counts));
    }
    return cpu;
  }

  private static void sleepUntil(long nanoTime, CompletableFuture<Void> stopped)
      throws InterruptedException, ExecutionException {
    try {
      stopped.get(Math.max(0, nanoTime - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      // As it should be: nobody stops the load.
    }
  }

  private void tell(List<ClientLoop> loops, CpuMeter cpu, long bound)
      throws InterruptedException, ExecutionException, TimeoutException {
    Measured all = Measured.of(plan);
    for (ClientLoop loop : loops) {
      all.add(
          loop.thread()
              .submit(() -> loop.tally().measured())
              .get(Math.max(1, bound - System.nanoTime()), TimeUnit.NANOSECONDS));
    }
    double seconds = plan.measuredSeconds();
    all.took(seconds, seconds == 0 ? 0 : cpu.seconds() / seconds);
    out.accept(ClientLines.end(all));
  }
}
