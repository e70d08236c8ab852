package io.forebay.cli.console;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate for localhost, made with the JDK's keytool. */
public record Certificate(Path chain, Path key, SSLContext context) {
  private static final String PASSWORD = "training";
  private static final String NAME = "edge";

  /** Makes it; its files go to the directory. */
  public static Certificate make(Path directory)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = directory.resolve("training.p12");
    Process keytool =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-keystore",
                    store.toString(),
                    "-storepass",
                    PASSWORD,
                    "-alias",
                    NAME,
                    "-keyalg",
                    "EC",
                    "-groupname",
                    "secp256r1",
                    "-dname",
                    "CN=localhost",
                    "-ext",
                    "san=dns:localhost",
                    "-validity",
                    "1"))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.log").toFile())
            .start();
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool: " + Files.readString(directory.resolve("keytool.log")));
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    Key key = keys.getKey(NAME, PASSWORD.toCharArray());
    return new Certificate(
        pem(directory.resolve("cert.pem"), "CERTIFICATE", keys.getCertificate(NAME).getEncoded()),
        pem(directory.resolve("key.pem"), "PRIVATE KEY", key.getEncoded()),
        trusting(keys));
  }

  private static Path pem(Path file, String kind, byte[] bytes) throws IOException {
    return Files.writeString(
        file,
        "-----BEGIN "
            + kind
            + "-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
            + "\n-----END "
            + kind
            + "-----\n");
  }

  private static SSLContext trusting(KeyStore keys) throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(NAME, keys.getCertificate(NAME));
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
