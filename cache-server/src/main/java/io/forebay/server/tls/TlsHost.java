package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig.ClientAuth;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.internal.tcnative.SSL;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One TLS entry in use: a context that all event loops share, and the certificates presented first.
 * Only the stapled OCSP responses change while it is in use; any other change creates a new one.
 */
public final class TlsHost {
  /** Where a connection keeps the host that its ClientHello chose. */
  public static final AttributeKey<TlsHost> KEY = AttributeKey.valueOf(TlsHost.class, "chosen");

  private final TlsHostSettings settings;
  private final SslContext context;
  private final byte[] scope;
  private final byte[] fingerprint;

  /** An answer a pair, or null. Written by the stapler alone. */
  private List<byte @Nullable []> staples;

  /** Null where BoringSSL is not there. */
  private volatile @Nullable NativeCredentials credentials;

  TlsHost(TlsHostSettings settings) throws TlsException {
    this.settings = settings;
    this.scope = settings.scope();
    this.fingerprint = settings.fingerprint();
    this.staples = Collections.nCopies(settings.pairs().size(), null);
    this.context = SslContexts.of(settings, scope);
    if (OpenSsl.isAvailable()) {
      credentials = NativeCredentials.of(settings.pairs(), staples);
    }
  }

  TlsHostSettings settings() {
    return settings;
  }

  SslContext context() {
    return context;
  }

  byte[] fingerprint() {
    return fingerprint;
  }

  public String name() {
    return settings.name();
  }

  public ClientAuth clientAuth() {
    return settings.clientAuth();
  }

  /** Whether what was asked of a client for the one is what the other asks. */
  public boolean hasSameClientAuth(TlsHost other) {
    return Arrays.equals(scope, other.scope);
  }

  /** An engine of a connection that is about to begin; no handler has it yet. */
  SSLEngine newEngine(ByteBufAllocator allocator) throws SSLException {
    return prepared(context.newEngine(allocator));
  }

  /** The handler of a connection that is about to begin. */
  SslHandler newHandler(ByteBufAllocator allocator) throws SSLException {
    // Netty makes engines that fit its own handler only together with one.
    return new RecordSizeHandler(
        prepared(context.newHandler(allocator).engine()), System::nanoTime);
  }

  /** Whether a handshake that is done went on with an earlier session. */
  public static boolean isResumed(SSLEngine engine) {
    return engine instanceof ReferenceCountedOpenSslEngine boring
        && SSL.isSessionReused(boring.sslPointer());
  }

  /** The group that keys were exchanged with in a handshake that is done, or "" for none. */
  public static String group(SSLEngine engine) {
    if (!(engine instanceof ReferenceCountedOpenSslEngine boring)) {
      return "";
    }
    try {
      String name = SSL.getGroupName(boring.sslPointer());
      return name == null ? "" : name;
    } catch (Exception e) {
      // Thrown where the handshake used none, as with a session of TLS 1.2.
      return "";
    }
  }

  private SSLEngine prepared(SSLEngine engine) throws SSLException {
    NativeCredentials current = credentials;
    if (current != null && engine instanceof ReferenceCountedOpenSslEngine boring) {
      try {
        long ssl = boring.sslPointer();
        SSL.clearOptions(ssl, SSL.SSL_OP_CIPHER_SERVER_PREFERENCE);
        if (!settings.tickets()) {
          SSL.setOptions(ssl, SSL.SSL_OP_NO_TICKET);
        }
        current.addTo(boring);
      } catch (SSLException | RuntimeException e) {
        ReferenceCountUtil.release(engine);
        throw e;
      }
    }
    return engine;
  }

  /** Staples another answer to the handshakes to come, or none. One thread at a time. */
  void staple(int pair, byte @Nullable [] answer) throws TlsException {
    List<byte @Nullable []> next = new ArrayList<>(staples);
    next.set(pair, answer);
    if (credentials != null) {
      credentials = NativeCredentials.of(settings.pairs(), next);
    }
    staples = next;
  }
}
