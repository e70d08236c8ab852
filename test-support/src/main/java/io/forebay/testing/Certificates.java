package io.forebay.testing;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A private authority, and PEM files of what it issues, in one directory. */
public final class Certificates {
  private static final Pattern IPV4 = Pattern.compile("[0-9]+(\\.[0-9]+){3}");

  private final Path directory;
  private final X509Bundle authority;

  /** Made when a test first asks for RSA. */
  private static final class RsaKey {
    static final KeyPair PAIR = generate();

    private static KeyPair generate() {
      try {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return generator.generateKeyPair();
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private Certificates(Path directory, X509Bundle authority) throws IOException {
    this.directory = directory;
    this.authority = authority;
    Files.writeString(directory.resolve("ca.pem"), authority.getCertificatePEM());
    Files.writeString(directory.resolve("ca.key"), authority.getPrivateKeyPEM());
  }

  /** A new authority; {@code ca.pem} and {@code ca.key} are its files. */
  public static Certificates in(Path directory) throws Exception {
    return in(
        directory,
        new CertificateBuilder()
            .subject("CN=Authority " + directory.getFileName())
            .ecp256()
            .setIsCertificateAuthority(true)
            .setKeyUsage(
                true,
                CertificateBuilder.KeyUsage.keyCertSign,
                CertificateBuilder.KeyUsage.digitalSignature)
            .buildSelfSigned());
  }

  /** The same with an authority that was made before. */
  public static Certificates in(Path directory, X509Bundle authority) throws IOException {
    return new Certificates(directory, authority);
  }

  public X509Bundle authority() {
    return authority;
  }

  public Path authorityPem() {
    return directory.resolve("ca.pem");
  }

  /**
   * An ECDSA certificate as {@code file.pem} and {@code file.key}.
   *
   * @param names DNS names, also with a wildcard, and IPv4 addresses
   */
  public X509Bundle ecdsa(String file, String... names) throws Exception {
    return issue(file, builder -> builder.ecp256(), names);
  }

  /** The same with RSA; all have one key, since a new one takes the time of a whole test. */
  public X509Bundle rsa(String file, String... names) throws Exception {
    X509Bundle issued =
        builder(file, names).publicKey(RsaKey.PAIR.getPublic()).buildIssuedBy(authority);
    X509Bundle bundle =
        X509Bundle.fromCertificatePath(
            issued.getCertificatePath(), issued.getRootCertificate(), RsaKey.PAIR);
    write(file, bundle);
    return bundle;
  }

  /** A certificate of which something is otherwise. */
  public X509Bundle issue(String file, UnaryOperator<CertificateBuilder> change, String... names)
      throws Exception {
    X509Bundle bundle = change.apply(builder(file, names)).buildIssuedBy(authority);
    write(file, bundle);
    return bundle;
  }

  private static CertificateBuilder builder(String file, String... names) throws IOException {
    Instant now = Instant.now();
    CertificateBuilder builder =
        new CertificateBuilder()
            .subject("CN=" + file)
            .notBefore(now.minus(Duration.ofHours(1)))
            .notAfter(now.plus(Duration.ofDays(60)))
            .addExtendedKeyUsageServerAuth();
    if (names.length > 0) {
      builder = builder.addExtensionOctetString("2.5.29.17", false, alternativeNames(names));
    }
    return builder;
  }

  /** GeneralNames by hand: the builder takes no wildcards. */
  private static byte[] alternativeNames(String... names) throws IOException {
    byte[][] all = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      all[i] =
          IPV4.matcher(names[i]).matches()
              ? element(0x87, InetAddress.getByName(names[i]).getAddress())
              : element(0x82, names[i].getBytes(StandardCharsets.US_ASCII));
    }
    return element(0x30, all);
  }

  /** DER of less than 64 KiB. */
  private static byte[] element(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    int length = content.size();
    if (length >= 1 << 8) {
      out.write(0x82);
      out.write(length >> 8);
    } else if (length >= 1 << 7) {
      out.write(0x81);
    }
    out.write(length);
    out.writeBytes(content.toByteArray());
    return out.toByteArray();
  }

  /** A certificate that names an OCSP responder. */
  public X509Bundle withResponder(String file, String url, String name) throws Exception {
    byte[] ocsp = {0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01};
    byte[] location = element(0x86, url.getBytes(StandardCharsets.US_ASCII));
    byte[] access = element(0x30, ocsp, location);
    return issue(
        file,
        builder ->
            builder
                .ecp256()
                .addExtensionOctetString("1.3.6.1.5.5.7.1.1", false, element(0x30, access)),
        name);
  }

  /** What openssl answers to a question about a certificate of this authority. */
  public byte[] ocspAnswer(byte[] question, X509Bundle bundle, String status, int minutes)
      throws IOException, InterruptedException {
    Path index = directory.resolve("index.txt");
    String serial = bundle.getCertificate().getSerialNumber().toString(16).toUpperCase(Locale.ROOT);
    if (serial.length() % 2 != 0) {
      serial = "0" + serial;
    }
    String revoked = status.equals("R") ? "250101000000Z" : "";
    Files.writeString(
        index, status + "\t491231235959Z\t" + revoked + "\t" + serial + "\tunknown\t/CN=x\n");
    Files.write(directory.resolve("question.der"), question);
    Process openssl =
        new ProcessBuilder(
                "openssl",
                "ocsp",
                "-index",
                index.toString(),
                "-CA",
                authorityPem().toString(),
                "-rsigner",
                authorityPem().toString(),
                "-rkey",
                directory.resolve("ca.key").toString(),
                "-reqin",
                directory.resolve("question.der").toString(),
                "-respout",
                directory.resolve("answer.der").toString(),
                "-nmin",
                Integer.toString(minutes))
            .redirectErrorStream(true)
            .start();
    String said = new String(openssl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (openssl.waitFor() != 0) {
      throw new IOException("openssl ocsp: " + said);
    }
    return Files.readAllBytes(directory.resolve("answer.der"));
  }

  /** A client's certificate of this authority. */
  public X509Bundle client(String file) throws Exception {
    X509Bundle bundle =
        new CertificateBuilder()
            .subject("CN=" + file)
            .ecp256()
            .addExtendedKeyUsageClientAuth()
            .buildIssuedBy(authority);
    write(file, bundle);
    return bundle;
  }

  /**
   * A certificate for both sides of TLS whose alternative name is a URI; valid since a day ago, for
   * clocks that are slow.
   */
  public X509Bundle forUri(String file, String uri) throws Exception {
    Instant since = Instant.now().minus(Duration.ofDays(1));
    return issue(
        file,
        builder ->
            builder
                .ecp256()
                .notBefore(since)
                .addExtendedKeyUsageClientAuth()
                .addSanUriName(URI.create(uri)));
  }

  /** The chain with its root, so that nothing of it is missing, and the key. */
  public void write(String file, X509Bundle bundle) throws IOException {
    Files.writeString(
        pem(file), bundle.getCertificatePathPEM() + "\n" + authority.getCertificatePEM());
    Files.writeString(key(file), bundle.getPrivateKeyPEM());
    Files.setPosixFilePermissions(key(file), PosixFilePermissions.fromString("rw-------"));
  }

  public Path pem(String file) {
    return directory.resolve(file + ".pem");
  }

  public Path key(String file) {
    return directory.resolve(file + ".key");
  }

  /** The entry of a configuration, without the name. */
  public String entry(String file) {
    return "certificate: \"" + pem(file) + "\", key: \"" + key(file) + "\"";
  }

  /** A client's side of TLS that trusts this authority. */
  public SSLContext clientContext() throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setCertificateEntry("authority", authority.getCertificate());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** A server's side of TLS with that certificate. */
  public static SSLContext serverContext(X509Bundle bundle) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(bundle.toKeyManagerFactory().getKeyManagers(), null, null);
    return context;
  }
}
