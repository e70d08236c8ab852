package io.forebay.cli.demo;

import io.forebay.cli.console.Keytool;
import java.io.IOException;
import java.nio.file.Path;

/** A throw-away authority for the nodes of a cluster. Closing deletes its key. */
final class DemoCertificates implements AutoCloseable {
  private static final String AUTHORITY = "authority";

  private final Path directory;
  private final Keytool keytool;

  /** Files of PEM. */
  record Credentials(Path authority, Path certificate, Path key) {}

  DemoCertificates(Path directory) throws IOException, InterruptedException {
    this.directory = directory;
    this.keytool = new Keytool(directory);
    keytool.generate(
        AUTHORITY, "CN=Forebay demo", "-ext", "bc:c", "-ext", "ku:c=keyCertSign,cRLSign");
  }

  /** Issues a node's certificate for clients and servers, with a URI as its alternative name. */
  Credentials issue(String node, String uri) throws IOException, InterruptedException {
    keytool.generate(
        node,
        "CN=" + node,
        "-signer",
        AUTHORITY,
        "-ext",
        "san=uri:" + uri,
        "-ext",
        "ku:c=digitalSignature",
        "-ext",
        "eku=serverAuth,clientAuth");
    return new Credentials(
        keytool.writeCertificate(AUTHORITY, directory.resolve("authority.pem")),
        keytool.writeCertificate(node, directory.resolve(node + ".pem")),
        keytool.writeKey(node, directory.resolve(node + ".key")));
  }

  @Override
  public void close() throws IOException {
    keytool.close();
  }
}
