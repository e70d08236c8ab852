package io.forebay.cli.serve;

import io.forebay.cli.console.ExitCode;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * Receives the signals of a serving process, which the serving thread handles one after the other.
 * Java has no supported API for SIGHUP, so this uses the one unsupported class that every JDK
 * exports.
 */
public final class Signals {
  private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
  private final AtomicInteger stops = new AtomicInteger();
  private final BooleanSupplier hasLameDuck;
  private volatile boolean isDraining;

  private Signals(BooleanSupplier hasLameDuck) {
    this.hasLameDuck = hasLameDuck;
  }

  /** What the operator asks for. */
  enum Asked {
    STOP,
    RELOAD,
    REOPEN_LOG,
    HAND_OVER
  }

  /** Takes the signals over from the JVM, whose own answer to SIGTERM would be exit code 143. */
  public static Signals taken() {
    return taken(() -> false);
  }

  /**
   * The same.
   *
   * @param hasLameDuck whether a stop begins with a lame duck, which a second signal ends
   */
  static Signals taken(BooleanSupplier hasLameDuck) {
    Signals signals = new Signals(hasLameDuck);
    for (String name : new String[] {"TERM", "INT"}) {
      Signal.handle(new Signal(name), signal -> signals.onStop());
    }
    Signal.handle(new Signal("HUP"), signal -> signals.asked.add(Asked.RELOAD));
    Signal.handle(new Signal("USR1"), signal -> signals.asked.add(Asked.REOPEN_LOG));
    return signals;
  }

  /** Another process asks to take over; not a signal, but the serving thread's work as they are. */
  void handOver() {
    asked.add(Asked.HAND_OVER);
  }

  public Asked next() throws InterruptedException {
    return asked.take();
  }

  /** Waits for any signal that is taken, whatever it asks for. */
  public void awaitAny() throws InterruptedException {
    asked.take();
  }

  /** What was asked within that time, or null. */
  @Nullable
  public Asked next(long millis) throws InterruptedException {
    return asked.poll(millis, TimeUnit.MILLISECONDS);
  }

  /** From now on a signal to stop ends the process at once. */
  void draining() {
    isDraining = true;
  }

  /** A second signal ends the lame duck, or, when the drain has begun, the process. */
  private void onStop() {
    int allowed = hasLameDuck.getAsBoolean() ? 2 : 1;
    if (isDraining || stops.incrementAndGet() > allowed) {
      Runtime.getRuntime().halt(ExitCode.FAILURE);
    }
    asked.add(Asked.STOP);
  }
}
