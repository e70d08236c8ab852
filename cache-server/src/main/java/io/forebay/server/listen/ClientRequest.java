package io.forebay.server.listen;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.RequestView;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import org.jspecify.annotations.Nullable;

/**
 * What the requests of all protocols have in common: what is noted of them in the one pass over
 * their fields, and how the exchange sees it.
 */
abstract sealed class ClientRequest implements RequestView, FieldsView
    permits FramedRequest, Http1Request {

  final LimitsConfig limits;
  final RequestTarget target;
  String method = "";
  int knownFields;
  long contentLength = -1;
  boolean expectsContinue;

  /** Whether the client itself sent what only a TLS end may say of it (RFC 9440 §2.4). */
  boolean claimsCertificate;

  private @Nullable HostGuard guard;

  ClientRequest(LimitsConfig limits, String scheme) {
    this.limits = limits;
    this.target = new RequestTarget(scheme);
  }

  /** Notes a Content-Length line; null when it is the first and a number. */
  final @Nullable Refusal readContentLength(CharSequence value) {
    if (contentLength >= 0) {
      return Refusal.CONTENT_LENGTH;
    }
    contentLength = Digits.parse(value);
    return contentLength < 0 ? Refusal.CONTENT_LENGTH : null;
  }

  /** The declared length against what is taken at all. */
  final @Nullable Refusal checkLength() {
    return contentLength > limits.requestBodyBytes() ? Refusal.BODY_TOO_LARGE : null;
  }

  /** Of the connection the request comes by. */
  final void guardedBy(@Nullable HostGuard connection) {
    guard = connection;
  }

  /** Whether the connection may be used for this host. */
  final @Nullable Refusal checkHost() {
    HostGuard connection = guard;
    return connection == null ? null : connection.check(target.authority());
  }

  /** Whether the connection has nothing to say about requests for this host. */
  final boolean isPlainConnectionFor(String authority) {
    HostGuard connection = guard;
    return connection == null
        || (connection.clientCertificate() == null && connection.check(authority) == null);
  }

  /** What is said of the client towards the origin, or null. */
  final @Nullable String clientCertificate() {
    HostGuard connection = guard;
    return connection == null ? null : connection.clientCertificate();
  }

  final boolean isAsterisk() {
    return target.isAsterisk();
  }

  final boolean isHead() {
    return method.equals("HEAD");
  }

  final boolean expectsContinue() {
    return expectsContinue;
  }

  /** Declared length of the body, or -1. */
  final long contentLength() {
    return contentLength;
  }

  @Override
  public final String method() {
    return method;
  }

  @Override
  public final String scheme() {
    return target.scheme();
  }

  @Override
  public final String authority() {
    return target.authority();
  }

  @Override
  public final String path() {
    return target.path();
  }

  @Override
  public final @Nullable String query() {
    return target.query();
  }

  @Override
  public final FieldsView fields() {
    return this;
  }

  @Override
  public final int knownFields() {
    return knownFields;
  }
}
