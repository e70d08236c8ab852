package io.forebay.server.listen;

import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.netty.handler.codec.quic.Quic;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import java.nio.file.Path;

/** TLS 1.3 of a listener's QUIC side. No early data: a replayed request is none we have asked for. */
final class QuicTls {

  static final String PROTOCOL = "h3";

  private QuicTls() {}

  /** The context of a listener with a certificate; one for all loops, so that tickets serve on each. */
  static QuicSslContext of(ListenerConfig listener) throws ListenException {
    Path certificate = listener.certificate();
    Path key = listener.key();
    if (certificate == null || key == null) {
      throw new ListenException(
          "listener " + listener.name() + ": HTTP/3 needs a certificate and a key");
    }
    if (!Quic.isAvailable()) {
      throw new ListenException(
          "listener " + listener.name() + ": HTTP/3: the QUIC library does not load here: " + Quic.unavailabilityCause());
    }
    try {
      return QuicSslContextBuilder.forServer(key.toFile(), null, certificate.toFile())
          .applicationProtocols(PROTOCOL)
          .earlyData(false)
          .build();
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new ListenException(
          "listener "
              + listener.name()
              + ": certificate "
              + certificate
              + " and key "
              + key
              + " cannot be used for HTTP/3: "
              + e.getMessage(),
          e);
    }
  }
}
