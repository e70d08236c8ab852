package io.forebay.server.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.internal.tcnative.SSL;
import io.netty.internal.tcnative.SSLCredential;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of one host in BoringSSL, ECDSA first, each with its stapled OCSP response.
 * BoringSSL presents the first that the client can verify. Netty's public interface can neither
 * staple to one of several certificates nor change it without a new context, so this class uses its
 * internal one.
 *
 * <p>Never changed: another answer makes new credentials. Loops add them to connections without
 * counting, so they are freed when the collector has found that nobody can any more; BoringSSL
 * counts on its own for the connections.
 */
final class NativeCredentials {
  private static final Cleaner CLEANER = Cleaner.create();

  private final long[] addresses;

  private NativeCredentials(long[] addresses) {
    this.addresses = addresses;
    CLEANER.register(this, () -> free(addresses));
  }

  /**
   * Hands certificates and keys to BoringSSL.
   *
   * @param staples an OCSP answer a pair, or null
   * @throws TlsException when it takes one of them for unusable
   */
  static NativeCredentials of(List<CertificatePair> pairs, List<byte @Nullable []> staples)
      throws TlsException {
    long[] addresses = new long[pairs.size()];
    try {
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = SSLCredential.newX509();
        set(addresses[i], pairs.get(i), staples.get(i));
      }
    } catch (Exception e) {
      free(addresses);
      throw new TlsException(
          pairs.getFirst().file() + " cannot be used: " + String.valueOf(e.getMessage()));
    }
    return new NativeCredentials(addresses);
  }

  private static void set(long credential, CertificatePair pair, byte @Nullable [] staple)
      throws Exception {
    List<byte[]> encoded = new ArrayList<>();
    for (X509Certificate certificate : pair.chain()) {
      encoded.add(encoded(certificate));
    }
    long chainBio = bio(pem("CERTIFICATE", encoded));
    long chain;
    try {
      chain = SSL.parseX509Chain(chainBio);
    } finally {
      SSL.freeBIO(chainBio);
    }
    try {
      SSLCredential.setCertChain(credential, chain);
    } finally {
      SSL.freeX509Chain(chain);
    }
    long keyBio = bio(pem("PRIVATE KEY", List.of(pair.key().getEncoded())));
    long key;
    try {
      key = SSL.parsePrivateKey(keyBio, null);
    } finally {
      SSL.freeBIO(keyBio);
    }
    try {
      SSLCredential.setPrivateKey(credential, key);
    } finally {
      SSL.freePrivateKey(key);
    }
    if (staple != null) {
      SSLCredential.setOcspResponse(credential, staple);
    }
  }

  private static byte[] encoded(X509Certificate certificate) throws CertificateEncodingException {
    return certificate.getEncoded();
  }

  private static byte[] pem(String label, List<byte[]> encoded) {
    StringBuilder text = new StringBuilder();
    for (byte[] der : encoded) {
      text.append("-----BEGIN ").append(label).append("-----\n");
      text.append(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der));
      text.append("\n-----END ").append(label).append("-----\n");
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static long bio(byte[] bytes) throws Exception {
    ByteBuf direct = UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
    long bio = SSL.newMemBIO();
    try {
      if (SSL.bioWrite(bio, address(direct), bytes.length) != bytes.length) {
        SSL.freeBIO(bio);
        throw new SSLException("no memory");
      }
      return bio;
    } finally {
      // It may have been a private key.
      direct.setZero(0, bytes.length).release();
    }
  }

  private static long address(ByteBuf direct) {
    return direct.hasMemoryAddress()
        ? direct.memoryAddress()
        : io.netty.internal.tcnative.Buffer.address(direct.nioBuffer());
  }

  /** For a connection that has not begun its handshake. */
  void addTo(ReferenceCountedOpenSslEngine engine) throws SSLException {
    long ssl = engine.sslPointer();
    try {
      for (long address : addresses) {
        SSL.addCredential(ssl, address);
      }
    } catch (Exception e) {
      throw new SSLException(e);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  private static void free(long[] addresses) {
    for (long address : addresses) {
      if (address != 0) {
        free(address);
      }
    }
  }

  private static void free(long address) {
    try {
      SSLCredential.free(address);
    } catch (Exception e) {
      throw new IllegalStateException("a credential that was made can be freed", e);
    }
  }
}
