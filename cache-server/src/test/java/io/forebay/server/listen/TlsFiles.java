package io.forebay.server.listen;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate for localhost as PEM files, made by the JDK's keytool, and the client
 * side that trusts it.
 */
public record TlsFiles(Path certificate, Path key, KeyStore trust) {

  public static TlsFiles make(Path directory) throws IOException, GeneralSecurityException {
    return make(directory, "dns:localhost,ip:127.0.0.1");
  }

  /**
   * The same.
   *
   * @param names of the certificate, as keytool takes them
   */
  public static TlsFiles make(Path directory, String names)
      throws IOException, GeneralSecurityException {
    Path store = directory.resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "a",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=" + names,
                "-validity",
                "30",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                "secret")
            .redirectErrorStream(true)
            .start();
    try {
      String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (keytool.waitFor() != 0) {
        throw new IOException("keytool: " + said);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    KeyStore keys = KeyStore.getInstance(store.toFile(), "secret".toCharArray());
    X509Certificate certificate = (X509Certificate) keys.getCertificate("a");
    PrivateKey key = (PrivateKey) keys.getKey("a", "secret".toCharArray());
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("a", certificate);
    return new TlsFiles(
        pem(directory.resolve("cert.pem"), "CERTIFICATE", certificate.getEncoded()),
        pem(directory.resolve("key.pem"), "PRIVATE KEY", key.getEncoded()),
        trust);
  }

  private static Path pem(Path file, String kind, byte[] der) {
    String text =
        "-----BEGIN "
            + kind
            + "-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
            + "\n-----END "
            + kind
            + "-----\n";
    try {
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public SSLContext clientContext() throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trust);
    TrustManager[] managers = factory.getTrustManagers();
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers, null);
    return context;
  }
}
