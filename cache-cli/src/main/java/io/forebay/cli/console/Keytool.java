package io.forebay.cli.console;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Makes keys on P-256 and their certificates with the JDK's keytool, valid for a day. Closing
 * deletes the key store; files that were written stay.
 */
public final class Keytool implements AutoCloseable {

  /** Of a file in a directory of this user, which exists for a short time. */
  private static final String PASSWORD = "forebay";

  private final Path store;
  private final Path log;

  /** Keeps its files in a directory, which it makes if need be. */
  public Keytool(Path directory) throws IOException {
    Files.createDirectories(directory);
    this.store = directory.resolve("keys.p12");
    this.log = directory.resolve("keytool.log");
  }

  /**
   * Makes a key and its certificate.
   *
   * @param alias names both
   * @param subject of the certificate
   * @param more options of keytool: the signer, extensions
   */
  public void generate(String alias, String subject, String... more)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-genkeypair", "-alias", alias));
    command.addAll(List.of("-dname", subject, "-keyalg", "EC", "-groupname", "secp256r1"));
    command.addAll(List.of("-startdate", "-1H", "-validity", "1"));
    command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass", PASSWORD));
    command.addAll(List.of(more));
    int exit =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start()
            .waitFor();
    if (exit != 0) {
      throw new IOException("keytool ended with " + exit + ": " + Files.readString(log).strip());
    }
  }

  /** The certificate of an alias. */
  public Certificate certificate(String alias) throws IOException {
    try {
      return keys().getCertificate(alias);
    } catch (GeneralSecurityException e) {
      throw unreadable(e);
    }
  }

  /** Writes the certificate of an alias as PEM. */
  public Path writeCertificate(String alias, Path file) throws IOException {
    try {
      return Files.writeString(file, pem("CERTIFICATE", certificate(alias).getEncoded()));
    } catch (GeneralSecurityException e) {
      throw unreadable(e);
    }
  }

  /** Writes the key of an alias as PEM; only this user can read the file. */
  public Path writeKey(String alias, Path file) throws IOException {
    try {
      Key key = keys().getKey(alias, PASSWORD.toCharArray());
      Files.deleteIfExists(file);
      Path empty =
          Files.createFile(
              file,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      return Files.writeString(
          empty, pem("PRIVATE KEY", key.getEncoded()), StandardCharsets.US_ASCII);
    } catch (GeneralSecurityException e) {
      throw unreadable(e);
    }
  }

  private KeyStore keys() throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private static IOException unreadable(GeneralSecurityException cause) {
    return new IOException("the keys that keytool has made cannot be read", cause);
  }

  private static String pem(String kind, byte[] der) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(store);
  }
}
