package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.storage.object.InstallOutcome;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Rewrites the head of a stored object after a 304 ({@link Refresh}), with retries: the index may
 * be busy, and the object may have moved to a disk.
 *
 * <p>Owner: the loop of the fill that got the 304.
 */
final class RevalidationUpdate {

  private static final int MAX_ATTEMPTS = 20;
  private static final long RETRY_MICROS = 50;

  private final FillContext loop;
  private final FillRequest order;
  private final FillRequest.StoredRef stale;
  private final HeaderFields notModified;
  private final long requestTimeMillis;
  private final long birth;
  private final BooleanSupplier isGivenUp;
  private final Consumer<InstallOutcome> onOutcome;

  /**
   * One that has not been tried yet.
   *
   * @param isGivenUp whether the outcome is of no interest any more
   * @param onOutcome told once, with anything but BUSY unless that lasts
   */
  RevalidationUpdate(
      FillContext loop,
      FillRequest order,
      FillRequest.StoredRef stale,
      HeaderFields notModified,
      long requestTimeMillis,
      long birth,
      BooleanSupplier isGivenUp,
      Consumer<InstallOutcome> onOutcome) {
    this.loop = loop;
    this.order = order;
    this.stale = stale;
    this.notModified = notModified;
    this.requestTimeMillis = requestTimeMillis;
    this.birth = birth;
    this.isGivenUp = isGivenUp;
    this.onOutcome = onOutcome;
  }

  void begin() {
    attempt(0, false);
  }

  private void attempt(int before, boolean isLoaded) {
    if (isGivenUp.getAsBoolean()) {
      // The connection broke between two attempts.
      return;
    }
    Runnable onLoaded = () -> loop.eventLoop().execute(() -> attempt(before, true));
    InstallOutcome outcome =
        Refresh.apply(
            loop, order, stale, notModified, requestTimeMillis, birth, isLoaded ? null : onLoaded);
    if (outcome == InstallOutcome.BUSY && before < MAX_ATTEMPTS) {
      loop.eventLoop()
          .schedule(() -> attempt(before + 1, isLoaded), RETRY_MICROS, TimeUnit.MICROSECONDS);
    } else if (outcome != null) {
      onOutcome.accept(outcome);
    }
  }
}
