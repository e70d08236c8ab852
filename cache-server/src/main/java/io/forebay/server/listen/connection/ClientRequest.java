package io.forebay.server.listen.connection;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.RequestView;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import org.jspecify.annotations.Nullable;

/**
 * The common part of the requests of all protocols: what one pass over their fields recorded, and
 * the view for the exchange.
 */
public abstract class ClientRequest implements RequestView, FieldsView {

  public final LimitsConfig limits;
  public final RequestTarget target;
  public String method = "";
  public int knownFields;
  public long contentLength = -1;
  public boolean expectsContinue;

  /** Whether the client itself sent what only a TLS end may say of it (RFC 9440 §2.4). */
  public boolean claimsCertificate;

  private @Nullable ClientCertificateCheck guard;

  public ClientRequest(LimitsConfig limits, String scheme) {
    this.limits = limits;
    this.target = new RequestTarget(scheme);
  }

  /** Notes a Content-Length line; null when it is the first and a number. */
  public final @Nullable Rejection readContentLength(CharSequence value) {
    if (contentLength >= 0) {
      return Rejection.CONTENT_LENGTH;
    }
    contentLength = Digits.parse(value);
    return contentLength < 0 ? Rejection.CONTENT_LENGTH : null;
  }

  /** The declared length against what is taken at all. */
  public final @Nullable Rejection checkLength() {
    return contentLength > limits.requestBodyBytes() ? Rejection.BODY_TOO_LARGE : null;
  }

  /** Of the connection the request comes by. */
  public final void guardedBy(@Nullable ClientCertificateCheck connection) {
    guard = connection;
  }

  /** Whether the connection may be used for this host. */
  public final @Nullable Rejection checkHost() {
    ClientCertificateCheck connection = guard;
    return connection == null ? null : connection.check(target.authority());
  }

  /** Whether the connection has nothing to say about requests for this host. */
  public final boolean isPlainConnectionFor(String authority) {
    ClientCertificateCheck connection = guard;
    return connection == null
        || (connection.clientCertificate() == null && connection.check(authority) == null);
  }

  /** What is said of the client towards the origin, or null. */
  public final @Nullable String clientCertificate() {
    ClientCertificateCheck connection = guard;
    return connection == null ? null : connection.clientCertificate();
  }

  public final boolean isAsterisk() {
    return target.isAsterisk();
  }

  public final boolean isHead() {
    return method.equals("HEAD");
  }

  public final boolean expectsContinue() {
    return expectsContinue;
  }

  /** Declared length of the body, or -1. */
  public final long contentLength() {
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
