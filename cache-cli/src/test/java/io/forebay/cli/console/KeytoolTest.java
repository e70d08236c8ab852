package io.forebay.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeytoolTest {
  @TempDir Path directory;

  @Test
  void writesCertificatesThatTheirSignerHasSignedAndKeysForThisUserAlone() throws Exception {
    Path key;
    try (Keytool keytool = new Keytool(directory)) {
      keytool.generate("authority", "CN=authority", "-ext", "bc:c");
      keytool.generate("node", "CN=node", "-signer", "authority");
      key = keytool.writeKey("node", directory.resolve("node.key"));
      Path file = keytool.writeCertificate("node", directory.resolve("node.pem"));
      Certificate written;
      try (InputStream in = Files.newInputStream(file)) {
        written = CertificateFactory.getInstance("X.509").generateCertificate(in);
      }
      written.verify(keytool.certificate("authority").getPublicKey());
      assertEquals(keytool.certificate("node"), written);
    }
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(key)));
    assertTrue(Files.readString(key).startsWith("-----BEGIN PRIVATE KEY-----\n"));
    assertFalse(Files.exists(directory.resolve("keys.p12")), "the store of all keys is deleted");
  }

  @Test
  void aFailureHasTheMessageOfKeytool() throws Exception {
    try (Keytool keytool = new Keytool(directory)) {
      IOException failure =
          assertThrows(
              IOException.class, () -> keytool.generate("node", "CN=node", "-signer", "nothing"));
      assertTrue(String.valueOf(failure.getMessage()).contains("nothing"), failure::toString);
    }
  }
}
