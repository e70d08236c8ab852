package io.forebay.cli.demo;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A throw-away authority for the nodes of a cluster and what it issues, by the JDK's keytool, valid
 * for a day. Closing deletes the keys.
 */
final class DemoCertificates implements AutoCloseable {
  private static final String AUTHORITY = "authority";

  /** Of a file in a directory that only this user reads, for the time of the demo. */
  private static final String PASSWORD = "forebay-demo";

  private final Path directory;
  private final Path store;

  /** Files of PEM. */
  record Credentials(Path authority, Path certificate, Path key) {}

  DemoCertificates(Path directory) throws IOException, InterruptedException {
    this.directory = Files.createDirectories(directory);
    this.store = directory.resolve("keys.p12");
    keytool(AUTHORITY, "CN=Forebay demo", "bc:c", "ku:c=keyCertSign,cRLSign");
  }

  /** Issues a node's certificate for clients and servers, with a URI as its alternative name. */
  Credentials issue(String node, String uri) throws IOException, InterruptedException {
    keytool(
        node, "CN=" + node, "san=uri:" + uri, "ku:c=digitalSignature", "eku=serverAuth,clientAuth");
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      Path authority = directory.resolve("authority.pem");
      Path certificate = directory.resolve(node + ".pem");
      Path key = directory.resolve(node + ".key");
      Files.writeString(authority, pem("CERTIFICATE", keys.getCertificate(AUTHORITY).getEncoded()));
      Files.writeString(certificate, pem("CERTIFICATE", keys.getCertificate(node).getEncoded()));
      Files.deleteIfExists(key);
      Path empty =
          Files.createFile(
              key,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(
          empty,
          pem("PRIVATE KEY", keys.getKey(node, PASSWORD.toCharArray()).getEncoded()),
          StandardCharsets.US_ASCII);
      return new Credentials(authority, certificate, key);
    } catch (GeneralSecurityException e) {
      throw new IOException("the keys that keytool has made cannot be read", e);
    }
  }

  private static String pem(String what, byte[] der) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
  }

  private void keytool(String alias, String name, String... extensions)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-genkeypair", "-alias", alias));
    command.addAll(List.of("-dname", name, "-keyalg", "EC", "-groupname", "secp256r1"));
    command.addAll(List.of("-startdate", "-1H", "-validity", "1"));
    command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass", PASSWORD));
    if (!alias.equals(AUTHORITY)) {
      command.addAll(List.of("-signer", AUTHORITY));
    }
    for (String extension : extensions) {
      command.addAll(List.of("-ext", extension));
    }
    Path log = directory.resolve("keytool.log");
    int exit =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start()
            .waitFor();
    if (exit != 0) {
      throw new CommandException(
          ExitCode.FAILURE, "keytool ended with " + exit + ": " + Files.readString(log).strip());
    }
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(store);
  }
}
