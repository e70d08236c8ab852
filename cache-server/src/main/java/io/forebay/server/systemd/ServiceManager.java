package io.forebay.server.systemd;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells systemd that the node is ready, reloads or stops, and, with a watchdog, that its event
 * loops answer. A message that cannot be sent changes nothing for the node.
 */
public final class ServiceManager implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);

  /** Two questions to the loops, and as much time again, before systemd runs out of patience. */
  private static final int BEATS_PER_TIMEOUT = 4;

  private final @Nullable NotifySocket socket;
  private final long watchdogMicros;
  private final LongSupplier nanoTime;

  private @Nullable Thread watchdog;

  /** What the watchdog asks. Its thread reads it at each turn. */
  private volatile LoopWatch watch = new LoopWatch(List.of());

  private ServiceManager(
      @Nullable NotifySocket socket, long watchdogMicros, LongSupplier nanoTime) {
    this.socket = socket;
    this.watchdogMicros = watchdogMicros;
    this.nanoTime = nanoTime;
  }

  /** What started this process, by its environment. */
  public static ServiceManager ofThisProcess() {
    // Of HotSpot on Linux this is CLOCK_MONOTONIC, by which systemd orders reloads.
    return of(System.getenv(), ProcessHandle.current().pid(), System::nanoTime);
  }

  /**
   * The same.
   *
   * @param nanoTime of CLOCK_MONOTONIC
   */
  static ServiceManager of(Map<String, String> environment, long pid, LongSupplier nanoTime) {
    return new ServiceManager(
        socket(environment.get("NOTIFY_SOCKET")), watchdogMicros(environment, pid), nanoTime);
  }

  private static @Nullable NotifySocket socket(@Nullable String place) {
    if (place == null || place.isEmpty()) {
      return null;
    }
    try {
      if (!Epoll.isAvailable()) {
        throw new IOException("this machine has no epoll");
      }
      return new NotifySocket(place);
    } catch (IOException e) {
      LOG.warn("systemd is told nothing, NOTIFY_SOCKET cannot be used: {}", e.getMessage());
      return null;
    }
  }

  /** 0 where systemd does not watch this process. */
  static long watchdogMicros(Map<String, String> environment, long pid) {
    String micros = environment.getOrDefault("WATCHDOG_USEC", "");
    String watched = environment.getOrDefault("WATCHDOG_PID", "");
    if (micros.isEmpty() || (!watched.isEmpty() && !watched.equals(Long.toString(pid)))) {
      return 0;
    }
    if (!micros.matches("[1-9]\\d{0,17}")) {
      LOG.warn("WATCHDOG_USEC is not a number of microseconds: {}", micros);
      return 0;
    }
    return Long.parseLong(micros);
  }

  /**
   * The node serves.
   *
   * @param status one line for {@code systemctl status}
   * @param loops the watchdog is fed while each of them answers
   */
  public void ready(String status, List<? extends Executor> loops) {
    watch = new LoopWatch(loops);
    tell("READY=1\n" + line(status));
    if (socket != null && watchdogMicros > 0 && watchdog == null) {
      long pauseNanos = TimeUnit.MICROSECONDS.toNanos(watchdogMicros) / BEATS_PER_TIMEOUT;
      watchdog = Thread.ofPlatform().daemon().name("watchdog").start(() -> feed(pauseNanos));
    }
  }

  private void feed(long pauseNanos) {
    boolean isMissed = false;
    while (!Thread.currentThread().isInterrupted()) {
      boolean isFed = beat(watch);
      if (isMissed && !isFed) {
        LOG.warn("an event loop does not answer: the watchdog of systemd is not fed");
      }
      isMissed = !isFed;
      LockSupport.parkNanos(pauseNanos);
    }
  }

  /** One turn of the watchdog. */
  boolean beat(LoopWatch watch) {
    boolean isAnswered = watch.beat();
    if (isAnswered) {
      tell("WATCHDOG=1");
    }
    return isAnswered;
  }

  /** A reload begins; {@link #reloaded} follows. */
  public void reloading() {
    tell(
        "RELOADING=1\nMONOTONIC_USEC="
            + TimeUnit.NANOSECONDS.toMicros(nanoTime.getAsLong())
            + "\n"
            + line("reloading"));
  }

  /** The reload is over, whatever came of it. */
  public void reloaded(String status) {
    tell("READY=1\n" + line(status));
  }

  /**
   * Another process is about to take over: the loops may end, and the watchdog does not ask them
   * until {@link #ready} names others.
   */
  public void handingOver() {
    watch = new LoopWatch(List.of());
  }

  /** Another process has taken over; this one ends. */
  public void replaced(long pid) {
    endWatchdog();
    tell("MAINPID=" + pid);
  }

  /**
   * The node stops; the watchdog rests.
   *
   * @param atMost what requests in progress may take: systemd waits for that time, even where its
   *     unit says less
   */
  public void stopping(Duration atMost) {
    endWatchdog();
    tell(
        "STOPPING=1\nEXTEND_TIMEOUT_USEC="
            + TimeUnit.NANOSECONDS.toMicros(atMost.toNanos())
            + "\n"
            + line("stopping, requests in progress are finished"));
  }

  private static String line(String status) {
    return "STATUS=" + status.replaceAll("\\p{Cntrl}+", " ");
  }

  private void tell(String message) {
    NotifySocket told = socket;
    if (told == null) {
      return;
    }
    try {
      told.send(message);
    } catch (IOException e) {
      LOG.warn("systemd was not told {}: {}", message.replaceAll("\n.*", ""), e.toString());
    }
  }

  private void endWatchdog() {
    Thread running = watchdog;
    watchdog = null;
    if (running != null) {
      running.interrupt();
    }
  }

  @Override
  public void close() {
    endWatchdog();
  }
}
