package io.forebay.server.origin;

import io.forebay.server.text.Printable;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS towards origins: BoringSSL where its native library loads, else the JDK's. Chain and host
 * name are always verified; there is no switch to turn that off.
 */
final class OriginTls {
  private static final int MAX_CAUSES = 10;

  private OriginTls() {}

  static byte[] readTrust(Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new IOException("trust file " + file + " does not exist", e);
    } catch (IOException e) {
      throw new IOException("trust file " + file + " cannot be read: " + Printable.line(e), e);
    }
  }

  static byte[] digest(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  static SslContext context(@Nullable Path file, byte @Nullable [] trust) throws IOException {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
            .protocols("TLSv1.3", "TLSv1.2")
            .endpointIdentificationAlgorithm("HTTPS");
    try {
      if (trust != null) {
        builder.trustManager(new ByteArrayInputStream(trust));
      }
      return builder.build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new IOException(
          trust == null
              ? "TLS to origins cannot be set up: " + Printable.line(e)
              : "trust file " + file + " contains no usable PEM certificate: " + Printable.line(e),
          e);
    }
  }

  /** Whether a handshake failed because of the origin's certificate. */
  static boolean isCertificateRefused(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause instanceof CertificateException || cause instanceof CertPathBuilderException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Why a handshake failed, in words an operator can act on. */
  static String words(Throwable failure) {
    if (failure instanceof ClosedChannelException) {
      return "the origin closed the connection during the handshake";
    }
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause instanceof CertificateExpiredException) {
        return "certificate has expired: " + Printable.line(cause);
      }
      if (cause instanceof CertificateNotYetValidException) {
        return "certificate is not valid yet: " + Printable.line(cause);
      }
      if (cause instanceof CertPathBuilderException) {
        return "certificate is not trusted: " + Printable.line(cause);
      }
      Throwable next = cause.getCause();
      if (next == null) {
        break;
      }
      cause = next;
    }
    return Printable.line(cause == null ? failure : cause);
  }
}
