package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;
import io.forebay.core.route.Route;
import io.forebay.server.accesslog.AccessEvent;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * The part of an access log event that the fast lane and exchanges share: request, client and
 * route.
 */
abstract class RequestEvent implements AccessEvent {

  abstract RequestView request();

  abstract ClientInfo asking();

  abstract @Nullable Route matched();

  @Override
  public final String client() {
    return asking().address();
  }

  @Override
  public final @Nullable TlsSession tls() {
    return asking().tls();
  }

  @Override
  public final String protocol() {
    return asking().protocol();
  }

  @Override
  public final String method() {
    return request().method();
  }

  @Override
  public final String scheme() {
    return request().scheme();
  }

  @Override
  public final CharSequence host() {
    return request().authority();
  }

  @Override
  public final @Nullable String route() {
    Route route = matched();
    return route == null ? null : route.name();
  }

  /** The origin that stood in for that of the route, or null. */
  @Nullable String fallback() {
    return null;
  }

  @Override
  public final @Nullable String origin() {
    String fallback = fallback();
    if (fallback != null) {
      return fallback;
    }
    Route route = matched();
    return route == null ? null : route.originName();
  }
}
