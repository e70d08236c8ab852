package io.forebay.server.tls;

import io.forebay.server.text.Printable;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** A handshake for a name that the listener has no certificate for. Has no stack trace. */
public final class NoCertificateException extends SSLException {
  private static final long serialVersionUID = 1;

  NoCertificateException(String listener, @Nullable String serverName) {
    super(
        "listener "
            + listener
            + " has no certificate for "
            + (serverName == null ? "clients that name no host" : Printable.line(serverName)));
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
