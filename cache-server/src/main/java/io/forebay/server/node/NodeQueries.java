package io.forebay.server.node;

import io.forebay.core.http.RequestView;
import io.forebay.server.explain.Explanation;
import io.forebay.server.tls.TlsPreview;
import io.forebay.storage.inspect.StoreInspection;
import io.forebay.storage.inspect.StoreInspector;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Read-only queries about stored objects and explanations of requests. Any thread, unless a method
 * says otherwise.
 */
public interface NodeQueries {

  /** What each TLS listener would show a client that asks for a host. */
  default List<TlsPreview> tlsForecasts(String host) {
    return List.of();
  }

  /** Looks at what is stored; null before the store is open. */
  default @Nullable StoreInspection inspection() {
    return null;
  }

  /**
   * The keys under which this node stores what a URL names: one, or two (http and https) where it
   * has no scheme.
   *
   * @throws IllegalArgumentException when no request can be for it
   */
  default List<StoreTarget> storeTargets(String url) {
    throw new IllegalArgumentException("not a URL that can be requested here: " + url);
  }

  /**
   * What would become of a request at this moment; nothing is done.
   *
   * @param survey of {@link #inspection}, on its thread
   */
  default Explanation explain(StoreInspector survey, RequestView request) throws IOException {
    throw new IOException("there is no configuration or store to explain with");
  }
}
