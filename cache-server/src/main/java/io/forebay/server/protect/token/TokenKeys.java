package io.forebay.server.protect.token;

import io.forebay.server.config.JwtConfig;
import io.forebay.server.config.ProtectionProfile;
import io.forebay.server.jwt.VerificationKeys;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of tokens: those of files, which the configuration has, and those of URLs, which are
 * fetched here. Starts neither threads nor connections while no profile has a URL. One a node; any
 * thread.
 */
public final class TokenKeys implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);

  private final Path directory;
  private final LongSupplier nanoTime;
  private final Map<URI, RemoteKeys> remote = new ConcurrentHashMap<>();

  /** URLs of the configuration before: what began with that one may still ask for its keys. */
  private Set<URI> before = Set.of();

  private @Nullable ScheduledThreadPoolExecutor thread;
  private @Nullable HttpClient client;

  /**
   * Without keys.
   *
   * @param directory where the last good set of each URL is kept; the node owns it
   * @param nanoTime a clock that never goes back
   */
  public TokenKeys(Path directory, LongSupplier nanoTime) {
    this.directory = directory;
    this.nanoTime = nanoTime;
  }

  /**
   * Begins to fetch the sets of URLs that are new, and forgets those that neither these profiles
   * nor the ones before name. Not called on a loop, whose CPU the threads would inherit.
   */
  public synchronized void prepare(List<ProtectionProfile> profiles) {
    Set<URI> wanted = new HashSet<>();
    for (ProtectionProfile profile : profiles) {
      JwtConfig config = profile.jwt();
      if (config != null && config.keysUrl() != null) {
        wanted.add(config.keysUrl());
      }
    }
    Set<URI> kept = new HashSet<>(wanted);
    kept.addAll(before);
    before = Set.copyOf(wanted);
    remote
        .entrySet()
        .removeIf(entry -> {
          boolean isGone = !kept.contains(entry.getKey());
          if (isGone) {
            entry.getValue().close();
          }
          return isGone;
        });
    for (URI url : wanted) {
      if (!remote.containsKey(url)) {
        RemoteKeys begun = new RemoteKeys(url, client(), thread(), directory, nanoTime);
        remote.put(url, begun);
        begun.start();
      }
    }
  }

  private ScheduledThreadPoolExecutor thread() {
    ScheduledThreadPoolExecutor running = thread;
    if (running == null) {
      running =
          new ScheduledThreadPoolExecutor(
              1, Thread.ofPlatform().daemon().name("token-keys").factory());
      running.setRemoveOnCancelPolicy(true);
      thread = running;
    }
    return running;
  }

  private HttpClient client() {
    HttpClient made = client;
    if (made == null) {
      made =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(CONNECT)
              .followRedirects(HttpClient.Redirect.NEVER)
              .build();
      client = made;
    }
    return made;
  }

  /** The keys in force for a profile; none where its URL has not been fetched yet. */
  public VerificationKeys of(JwtConfig config) {
    RemoteKeys fetched = fetched(config);
    return config.keysUrl() == null
        ? config.fileKeys()
        : fetched == null ? VerificationKeys.NONE : fetched.inForce();
  }

  /**
   * Has the keys of a profile fetched, or waits for a fetch that is under way.
   *
   * @param whenDone called once that has ended, however
   * @return false if they are not to be fetched now; then nothing is called
   */
  boolean refetch(JwtConfig config, Runnable whenDone) {
    RemoteKeys fetched = fetched(config);
    return fetched != null && fetched.refetch(whenDone);
  }

  private @Nullable RemoteKeys fetched(JwtConfig config) {
    URI url = config.keysUrl();
    return url == null ? null : remote.get(url);
  }

  @Override
  public synchronized void close() {
    remote.values().forEach(RemoteKeys::close);
    if (thread != null) {
      thread.shutdownNow();
    }
    if (client != null) {
      client.shutdownNow();
    }
  }
}
