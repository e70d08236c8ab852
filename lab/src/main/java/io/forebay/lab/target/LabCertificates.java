package io.forebay.lab.target;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A throw-away authority and what it issues, by the JDK's keytool. */
public final class LabCertificates {
  private static final String AUTHORITY = "authority";
  private static final String SERVER = "server";

  /** Of a file that exists for a moment in a directory of the lab, with a key for its loopback. */
  private static final String PASSWORD = "forebay-lab";

  private LabCertificates() {}

  /**
   * Makes an authority and a server's certificate for {@code localhost}, {@code 127.0.0.1}, {@code
   * ::1} and an address, both for 30 days, with keys on P-256. The authority's key is not kept.
   *
   * @param directory of {@code authority.pem}, {@code server.pem} and {@code server.key}
   * @param address that clients connect to
   */
  public static TargetSpec.Tls create(Path directory, InetAddress address)
      throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path store = directory.resolve("keys.p12").toAbsolutePath();
    Files.deleteIfExists(store);
    try {
      keytool(
          store,
          AUTHORITY,
          List.of("-dname", "CN=Forebay lab", "-ext", "bc:c", "-ext", "ku:c=keyCertSign,cRLSign"));
      keytool(
          store,
          SERVER,
          List.of(
              "-dname",
              "CN=localhost",
              "-signer",
              AUTHORITY,
              "-ext",
              names(address),
              "-ext",
              "ku:c=digitalSignature",
              "-ext",
              "eku=serverAuth"));
      return export(store, directory);
    } finally {
      Files.deleteIfExists(store);
    }
  }

  private static String names(InetAddress address) {
    String names = "san=dns:localhost,ip:127.0.0.1,ip:::1";
    return address.equals(TargetSpec.LOOPBACK) ? names : names + ",ip:" + address.getHostAddress();
  }

  private static void keytool(Path store, String alias, List<String> more)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-genkeypair", "-alias", alias));
    command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
    // Clocks of client hosts may be a little behind.
    command.addAll(List.of("-startdate", "-1H", "-validity", "30"));
    command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass", PASSWORD));
    command.addAll(more);
    Programs.output(command);
  }

  private static TargetSpec.Tls export(Path store, Path directory) throws IOException {
    try (InputStream input = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(input, PASSWORD.toCharArray());
      Path authority = directory.resolve("authority.pem");
      Path certificate = directory.resolve("server.pem");
      Path key = directory.resolve("server.key");
      Files.writeString(authority, pem("CERTIFICATE", keys.getCertificate(AUTHORITY).getEncoded()));
      Files.writeString(certificate, pem("CERTIFICATE", keys.getCertificate(SERVER).getEncoded()));
      Files.deleteIfExists(key);
      Files.createFile(
          key, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(
          key, pem("PRIVATE KEY", keys.getKey(SERVER, PASSWORD.toCharArray()).getEncoded()));
      return new TargetSpec.Tls(certificate, key, authority);
    } catch (GeneralSecurityException e) {
      throw new IOException("the certificates of keytool cannot be read", e);
    }
  }

  private static String pem(String type, byte[] content) {
    String lines =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content);
    return "-----BEGIN " + type + "-----\n" + lines + "\n-----END " + type + "-----\n";
  }
}
