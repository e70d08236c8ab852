package io.forebay.cli.console;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate for localhost. */
public record Certificate(Path chain, Path key, SSLContext context) {
  private static final String NAME = "edge";

  /** Makes it; its files go to the directory. */
  public static Certificate make(Path directory)
      throws IOException, InterruptedException, GeneralSecurityException {
    try (Keytool keytool = new Keytool(directory)) {
      keytool.generate(NAME, "CN=localhost", "-ext", "san=dns:localhost");
      return new Certificate(
          keytool.writeCertificate(NAME, directory.resolve("cert.pem")),
          keytool.writeKey(NAME, directory.resolve("key.pem")),
          trusting(keytool.certificate(NAME)));
    }
  }

  private static SSLContext trusting(java.security.cert.Certificate root)
      throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(NAME, root);
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
