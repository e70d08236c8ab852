package io.forebay.server.tls;

import io.forebay.server.tls.ocsp.Der;
import io.forebay.server.tls.ocsp.Der.DerException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads PEM files as certificate authorities and OpenSSL write them (RFC 7468, RFC 5915, RFC 8017).
 */
public final class PemFile {
  private static final int MAX_FILE_BYTES = 1 << 20;
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----([^-]*)-----END \\1-----");

  // The algorithm of RSA keys and of keys on curves (RFC 8017 appendix C, RFC 5480 §2.1.1).
  private static final byte[] RSA = {
    0x06,
    0x09,
    0x2A,
    (byte) 0x86,
    0x48,
    (byte) 0x86,
    (byte) 0xF7,
    0x0D,
    0x01,
    0x01,
    0x01,
    0x05,
    0x00
  };
  private static final byte[] EC = {
    0x06, 0x07, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 0x02, 0x01
  };
  private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};

  private record Block(String label, String base64) {
    byte[] bytes() {
      return Base64.getMimeDecoder().decode(base64);
    }
  }

  private PemFile() {}

  /** All certificates of a file, in its order. */
  public static List<X509Certificate> certificates(Path file) throws TlsException {
    return certificates(file.toString(), text(file));
  }

  /**
   * All certificates of a text, in its order.
   *
   * @param subject what messages call the text: they begin with it
   */
  public static List<X509Certificate> certificates(String subject, String text)
      throws TlsException {
    List<X509Certificate> certificates = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (Block block : blocks(text)) {
        if (block.label().equals("CERTIFICATE")) {
          certificates.add(
              (X509Certificate)
                  factory.generateCertificate(new ByteArrayInputStream(block.bytes())));
        }
      }
    } catch (CertificateException e) {
      throw new TlsException(
          subject + " contains a certificate that cannot be read: " + e.getMessage());
    }
    if (certificates.isEmpty()) {
      throw new TlsException(subject + " contains no certificate in PEM format");
    }
    return certificates;
  }

  /** The private key of a file; RSA or EC. */
  public static PrivateKey privateKey(Path file) throws TlsException {
    return privateKey(file.toString(), text(file));
  }

  /**
   * The private key of a text; RSA or EC.
   *
   * @param subject what messages call the text: they begin with it
   */
  public static PrivateKey privateKey(String subject, String text) throws TlsException {
    for (Block block : blocks(text)) {
      byte[] pkcs8 =
          switch (block.label()) {
            case "PRIVATE KEY" -> block.bytes();
            case "RSA PRIVATE KEY" -> wrapped(RSA, block.bytes());
            case "EC PRIVATE KEY" -> wrappedEc(subject, block.bytes());
            case "ENCRYPTED PRIVATE KEY" ->
                throw new TlsException(
                    subject
                        + " is encrypted: store the key without a passphrase, readable only by this"
                        + " user");
            default -> null;
          };
      if (pkcs8 != null) {
        return decoded(subject, pkcs8);
      }
    }
    throw new TlsException(subject + " contains no private key in PEM format");
  }

  private static PrivateKey decoded(String subject, byte[] pkcs8) throws TlsException {
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(pkcs8);
    String problem = "";
    for (String algorithm : List.of("EC", "RSA")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (GeneralSecurityException e) {
        problem = String.valueOf(e.getMessage());
      }
    }
    throw new TlsException(
        subject + " contains a key that is neither RSA nor on a NIST curve (" + problem + ")");
  }

  /** PKCS #8 of an older form: version, algorithm, the key as it was. */
  private static byte[] wrapped(byte[] algorithm, byte[] key) {
    return Der.element(
        Der.SEQUENCE,
        VERSION_0,
        Der.element(Der.SEQUENCE, algorithm),
        Der.element(Der.OCTET_STRING, key));
  }

  /** In the old form of RFC 5915 the curve stands within the key. */
  private static byte[] wrappedEc(String subject, byte[] key) throws TlsException {
    try {
      Der fields = new Der(key).next(Der.SEQUENCE);
      fields.next(Der.INTEGER);
      fields.next(Der.OCTET_STRING);
      byte[] curve = fields.next(Der.CONTEXT_0).next(Der.OID).content();
      byte[] algorithm = new byte[EC.length + 2 + curve.length];
      System.arraycopy(EC, 0, algorithm, 0, EC.length);
      byte[] oid = Der.element(Der.OID, curve);
      System.arraycopy(oid, 0, algorithm, EC.length, oid.length);
      return wrapped(algorithm, key);
    } catch (DerException e) {
      throw new TlsException(
          subject + " contains an EC key that names no curve: " + e.getMessage());
    }
  }

  private static List<Block> blocks(String text) {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(text);
    while (matcher.find()) {
      blocks.add(new Block(matcher.group(1), matcher.group(2)));
    }
    return blocks;
  }

  private static String text(Path file) throws TlsException {
    String why;
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        why = "larger than 1MiB";
      } else {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
      }
    } catch (NoSuchFileException e) {
      why = "no such file";
    } catch (AccessDeniedException e) {
      why = "permission denied";
    } catch (IOException e) {
      why = String.valueOf(e.getMessage());
    }
    throw new TlsException(file + " cannot be read: " + why);
  }
}
