package io.forebay.server.accesslog;

import io.forebay.server.config.RouteLog;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.http.TlsSession;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request that has ended, as a test wants it. */
final class FakeEvent implements AccessEvent {
  @Nullable CharSequence requestId = "id-1";
  @Nullable CharSequence traceparent = "00-ab-cd-01";
  String client = "192.0.2.7";
  String method = "GET";
  CharSequence host = "a.example";
  CharSequence path = "/p";
  @Nullable CharSequence query = "q=1";
  int status = 200;
  long bytes = 12_345_678_901L;
  long firstByteNanos = 12_345;
  long fetchNanos = 7_999;
  @Nullable TlsSession tls;
  CacheResult cache = CacheResult.HIT;
  RouteLog rules = RouteLog.DEFAULT;
  List<String> headers = List.of();
  @Nullable CharSequence referer = "http://r/";
  @Nullable CharSequence userAgent = "ua";
  // Stands for reason, route, origin and abort where not the usual ones.
  @Nullable String optional = "";

  @Override
  public long epochMillis() {
    return 1_772_600_767_089L;
  }

  @Override
  public @Nullable CharSequence requestId() {
    return requestId;
  }

  @Override
  public @Nullable CharSequence traceparent() {
    return traceparent;
  }

  @Override
  public String client() {
    return client;
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public String scheme() {
    return "https";
  }

  @Override
  public CharSequence host() {
    return host;
  }

  @Override
  public CharSequence path() {
    return path;
  }

  @Override
  public @Nullable CharSequence query() {
    return query;
  }

  @Override
  public String protocol() {
    return "HTTP/2";
  }

  @Override
  public @Nullable TlsSession tls() {
    return tls;
  }

  @Override
  public int status() {
    return status;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public long durationNanos() {
    return 1_500_999;
  }

  @Override
  public long firstByteNanos() {
    return firstByteNanos;
  }

  @Override
  public CacheResult cache() {
    return cache;
  }

  @Override
  public @Nullable String reason() {
    return either("fresh");
  }

  @Override
  public @Nullable String route() {
    return either("live");
  }

  @Override
  public @Nullable String origin() {
    return either("main");
  }

  @Override
  public long fetchNanos() {
    return fetchNanos;
  }

  @Override
  public @Nullable CharSequence referer() {
    return referer;
  }

  @Override
  public @Nullable CharSequence userAgent() {
    return userAgent;
  }

  @Override
  public @Nullable String abort() {
    return either("CLIENT_STALLED");
  }

  @Override
  public RouteLog rules() {
    return rules;
  }

  @Override
  public @Nullable CharSequence requestHeader(int index) {
    return headers.get(index);
  }

  private @Nullable String either(String usual) {
    return optional != null && optional.isEmpty() ? usual : optional;
  }
}
