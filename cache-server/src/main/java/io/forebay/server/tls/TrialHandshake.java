package io.forebay.server.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/**
 * Performs one TLS handshake in memory, to find problems of a certificate that only the TLS library
 * can detect.
 */
final class TrialHandshake {
  private static final int RECORDS_LENGTH = 128 * 1024;
  private static final int MAX_TURNS = 100;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private TrialHandshake() {}

  /** Between a host and a client that trusts everybody. */
  static void with(TlsHost host) throws TlsException {
    try {
      SSLEngine server = host.newEngine(ByteBufAllocator.DEFAULT);
      SSLEngine client = Client.CONTEXT.newEngine(ByteBufAllocator.DEFAULT);
      try {
        between(client, server);
      } finally {
        ReferenceCountUtil.release(server);
        ReferenceCountUtil.release(client);
      }
    } catch (SSLException e) {
      throw new TlsException(
          host.settings().pairs().getFirst().file()
              + " fails a trial handshake: "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
  }

  /** The session as the client has it then. */
  static SSLSession between(SSLEngine client, SSLEngine server) throws SSLException {
    ByteBuffer toServer = ByteBuffer.allocate(RECORDS_LENGTH);
    ByteBuffer toClient = ByteBuffer.allocate(RECORDS_LENGTH);
    ByteBuffer application = ByteBuffer.allocate(RECORDS_LENGTH);
    client.beginHandshake();
    server.beginHandshake();
    for (int turn = 0; turn < MAX_TURNS; turn++) {
      step(client, toServer, toClient, application);
      step(server, toClient, toServer, application);
      if (isDone(client) && isDone(server)) {
        return client.getSession();
      }
    }
    throw new SSLException("the handshake does not complete");
  }

  private static void step(SSLEngine engine, ByteBuffer out, ByteBuffer in, ByteBuffer application)
      throws SSLException {
    switch (engine.getHandshakeStatus()) {
      case NEED_WRAP -> engine.wrap(NOTHING, out);
      case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
        in.flip();
        engine.unwrap(in, application.clear());
        in.compact();
      }
      case NEED_TASK -> {
        Runnable task = engine.getDelegatedTask();
        if (task != null) {
          task.run();
        }
      }
      case FINISHED, NOT_HANDSHAKING -> {}
    }
  }

  private static boolean isDone(SSLEngine engine) {
    return engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING
        && !engine.getSession().getProtocol().equals("NONE");
  }

  /** Made at the first handshake. BoringSSL takes a tenth of the JDK's time. */
  private static final class Client {
    static final SslContext CONTEXT = open();

    private static SslContext open() {
      try {
        return SslContextBuilder.forClient()
            .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .endpointIdentificationAlgorithm(null)
            .build();
      } catch (SSLException e) {
        throw new IllegalStateException("no TLS client with the library's defaults", e);
      }
    }
  }
}
