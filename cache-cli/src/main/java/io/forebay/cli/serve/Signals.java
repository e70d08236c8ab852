package io.forebay.cli.serve;

import io.forebay.cli.console.ExitCode;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * The signals of a serving process, taken one after the other by the thread that serves. Java has
 * no supported way to hear of SIGHUP, so this uses the one unsupported class that every JDK
 * exports.
 */
public final class Signals {
  private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
  private volatile boolean isStopping;

  /** What the operator asks for. */
  enum Asked {
    STOP,
    RELOAD,
    REOPEN_LOG
  }

  /** Takes the signals over from the JVM, whose own answer to SIGTERM would be exit code 143. */
  public static Signals taken() {
    Signals signals = new Signals();
    for (String name : new String[] {"TERM", "INT"}) {
      Signal.handle(new Signal(name), signal -> signals.onStop());
    }
    Signal.handle(new Signal("HUP"), signal -> signals.asked.add(Asked.RELOAD));
    Signal.handle(new Signal("USR1"), signal -> signals.asked.add(Asked.REOPEN_LOG));
    return signals;
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

  /** Whoever asks a second time does not want to wait for the drain. */
  private void onStop() {
    if (isStopping) {
      Runtime.getRuntime().halt(ExitCode.FAILURE);
    }
    isStopping = true;
    asked.add(Asked.STOP);
  }
}
