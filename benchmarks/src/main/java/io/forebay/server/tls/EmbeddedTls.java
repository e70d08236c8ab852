package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.config.TlsConfig.PairConfig;
import io.forebay.server.config.TlsConfig.Policy;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Gives channels without sockets the TLS handler that a ClientHello gets. It stands in this package
 * because nobody but a ClientHello is to make them.
 */
public final class EmbeddedTls {

  private final TlsHost host;

  /** With one certificate, and settings as by default. */
  public EmbeddedTls(Path certificate, Path key) throws TlsException {
    host =
        new TlsHost(
            new TlsHostSettings(
                "bench",
                List.of(CertificatePair.load(new PairConfig(certificate, key))),
                Policy.INTERMEDIATE,
                ClientAuth.OFF,
                List.of(),
                true,
                TlsHostSettings.HTTP));
  }

  /** The handler of one connection. */
  public SslHandler newHandler(ByteBufAllocator allocator) throws SSLException {
    return host.newHandler(allocator);
  }
}
