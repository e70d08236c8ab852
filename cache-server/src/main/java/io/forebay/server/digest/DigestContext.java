package io.forebay.server.digest;

import io.forebay.core.route.Route;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * What fills need for digests.
 *
 * @param policy of a route, by the configuration in force
 * @param pool hashes bodies
 */
public record DigestContext(Function<Route, DigestPolicy> policy, Executor pool) {

  /** No route has digests. */
  public static final DigestContext OFF =
      new DigestContext(route -> DigestPolicy.NONE, Runnable::run);

  /** A route hashes bodies from now on. Not called on a loop. */
  public void prepare() {
    if (pool instanceof DigestThreads threads) {
      threads.prepare();
    }
  }
}
