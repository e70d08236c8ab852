package io.forebay.server.protect.token;

import io.forebay.core.http.CacheControl;
import io.forebay.server.jwt.VerificationKeys;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JWK set behind a URL: fetched when it is due, or when a token names a key that it does not
 * have; the last good one counts while the URL fails, over restarts too. Its work is done on one
 * thread, which waits for nothing.
 */
final class RemoteKeys implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteKeys.class);

  /** Between two fetches that tokens cause. */
  static final Duration REFETCH = Duration.ofSeconds(30);

  /** Tokens that wait for a fetch. */
  static final int MAX_WAITING = 256;

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long MIN_AGE_SECONDS = 60;
  private static final long DEFAULT_AGE_SECONDS = 600;
  private static final long MAX_AGE_SECONDS = 86_400;
  private static final long FIRST_RETRY_SECONDS = 10;
  private static final long LAST_RETRY_SECONDS = 300;

  private final URI url;
  private final HttpClient client;
  private final ScheduledExecutorService thread;
  private final KeyFile file;
  private final LongSupplier nanoTime;

  private volatile VerificationKeys inForce = VerificationKeys.NONE;

  // Guarded by this.
  private boolean isFetching;
  private boolean isClosed;
  private long lastAskedNanos;
  private boolean wasAsked;
  private List<Runnable> waiting = new ArrayList<>();
  private @Nullable Future<?> next;

  // Confined to the thread.
  private int failures;

  RemoteKeys(
      URI url,
      HttpClient client,
      ScheduledExecutorService thread,
      Path directory,
      LongSupplier nanoTime) {
    this.url = url;
    this.client = client;
    this.thread = thread;
    this.file = KeyFile.of(directory, url);
    this.nanoTime = nanoTime;
  }

  VerificationKeys inForce() {
    return inForce;
  }

  /** Takes what was kept, and fetches. */
  void start() {
    byte[] kept = file.read();
    if (kept != null) {
      try {
        inForce = VerificationKeys.parse(kept);
      } catch (IOException e) {
        LOG.warn("{} is not used: {}", file, Printable.line(e));
      }
    }
    synchronized (this) {
      isFetching = true;
    }
    thread.execute(this::fetch);
  }

  /** See {@link TokenKeys#refetch}. */
  synchronized boolean refetch(Runnable whenDone) {
    if (isClosed || waiting.size() >= MAX_WAITING) {
      return false;
    }
    long now = nanoTime.getAsLong();
    if (!isFetching) {
      if (wasAsked && now - lastAskedNanos < REFETCH.toNanos()) {
        return false;
      }
      wasAsked = true;
      lastAskedNanos = now;
      isFetching = true;
      thread.execute(this::fetch);
    }
    waiting.add(whenDone);
    return true;
  }

  private void fetchWhenDue() {
    synchronized (this) {
      if (isClosed || isFetching) {
        return;
      }
      isFetching = true;
    }
    fetch();
  }

  private void fetch() {
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .header("Accept", "application/jwk-set+json, application/json")
            .header("User-Agent", "Forebay")
            .timeout(PATIENCE)
            .build();
    CompletableFuture<HttpResponse<byte[]>> asked =
        client.sendAsync(
            request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), VerificationKeys.MAX_BYTES));
    // Of the client's own timeout the body is no part.
    Future<?> timeout =
        thread.schedule(() -> asked.cancel(true), PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    CompletableFuture<HttpResponse<byte[]>> ignored =
        asked.whenComplete((response, failure) -> {
          timeout.cancel(false);
          try {
            thread.execute(() -> done(response, failure));
          } catch (RejectedExecutionException e) {
            // The node is closing.
          }
        });
  }

  private void done(@Nullable HttpResponse<byte[]> response, @Nullable Throwable failure) {
    long seconds;
    try {
      if (response == null) {
        throw failed(failure);
      }
      take(response);
      failures = 0;
      seconds = ageSeconds(response);
    } catch (IOException e) {
      failures++;
      if (failures == 1) {
        LOG.warn(
            "the keys at {} were not renewed, {}: {}",
            Printable.shown(url.toString()),
            inForce.isEmpty() ? "and there are none" : "and the last good ones count",
            Printable.line(e));
      }
      seconds = Math.min(LAST_RETRY_SECONDS, FIRST_RETRY_SECONDS << Math.min(failures - 1, 5));
    }
    List<Runnable> told;
    synchronized (this) {
      isFetching = false;
      told = waiting;
      waiting = new ArrayList<>();
      if (!isClosed) {
        if (next != null) {
          next.cancel(false);
        }
        next = thread.schedule(this::fetchWhenDue, seconds, TimeUnit.SECONDS);
      }
    }
    told.forEach(Runnable::run);
  }

  private static IOException failed(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause == null || cause instanceof CancellationException) {
      return new IOException("no complete response within " + PATIENCE.toSeconds() + " s", cause);
    }
    return cause instanceof IOException known ? known : new IOException(cause);
  }

  private void take(HttpResponse<byte[]> response) throws IOException {
    if (response.statusCode() != 200) {
      throw new IOException("status " + response.statusCode());
    }
    VerificationKeys fetched = VerificationKeys.parse(response.body());
    if (failures > 0 || !fetched.equals(inForce)) {
      LOG.info("{} from {}", fetched, Printable.shown(url.toString()));
    }
    if (!fetched.equals(inForce)) {
      inForce = fetched;
      file.write(response.body());
    }
  }

  private static long ageSeconds(HttpResponse<byte[]> response) {
    CacheControl control = CacheControl.parse(response.headers().allValues("cache-control"));
    long age = control.maxAgeSeconds();
    if (control.noStore() || control.noCache()) {
      age = 0;
    }
    return age == CacheControl.ABSENT
        ? DEFAULT_AGE_SECONDS
        : Math.clamp(age, MIN_AGE_SECONDS, MAX_AGE_SECONDS);
  }

  /** Nothing is fetched any more; who waits is told. */
  @Override
  public void close() {
    List<Runnable> told;
    synchronized (this) {
      isClosed = true;
      told = waiting;
      waiting = new ArrayList<>();
      if (next != null) {
        next.cancel(false);
      }
    }
    told.forEach(Runnable::run);
  }
}
