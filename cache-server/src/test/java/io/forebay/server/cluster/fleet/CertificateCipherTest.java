package io.forebay.server.cluster.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CertificateCipherTest {
  private static final String TEXT = "-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n";

  private static byte[] secret(int filling) {
    byte[] secret = new byte[32];
    Arrays.fill(secret, (byte) filling);
    return secret;
  }

  private static CertificateCipher cipher(Integer... fillings) {
    List<byte[]> secrets = Arrays.stream(fillings).map(filling -> secret(filling)).toList();
    return new CertificateCipher(secrets, new SecureRandom());
  }

  @Test
  void anotherNodeWithTheSecretReadsWhatWasSealed() {
    String sealed = cipher(1).seal("a", TEXT);
    assertEquals(TEXT, cipher(1).open("a", sealed));
    String raw = new String(Base64.getDecoder().decode(sealed), StandardCharsets.ISO_8859_1);
    assertFalse(raw.contains("PRIVATE"), raw);
  }

  @Test
  void noTwoSealsAreAlike() {
    CertificateCipher cipher = cipher(1);
    assertNotEquals(cipher.seal("a", TEXT), cipher.seal("a", TEXT));
  }

  @Test
  void aValueOpensOnlyWhereItWasPut() {
    assertNull(cipher(1).open("b", cipher(1).seal("a", TEXT)));
  }

  @Test
  void anotherSecretDoesNotOpenIt() {
    assertNull(cipher(2).open("a", cipher(1).seal("a", TEXT)));
  }

  @Test
  void theFirstSecretEncryptsAndAllDecrypt() {
    String old = cipher(1).seal("a", TEXT);
    String next = cipher(2, 1).seal("a", TEXT);
    assertEquals(TEXT, cipher(2, 1).open("a", old));
    assertEquals(TEXT, cipher(2).open("a", next));
    assertNull(cipher(1).open("a", next));
  }

  @Test
  void eachChangedBitIsNoticed() {
    CertificateCipher cipher = cipher(1);
    byte[] sealed = Base64.getDecoder().decode(cipher.seal("a", TEXT));
    for (int bit = 0; bit < sealed.length * 8; bit++) {
      byte[] changed = sealed.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      assertNull(cipher.open("a", Base64.getEncoder().encodeToString(changed)), "bit " + bit);
    }
    for (int length = 0; length < sealed.length; length++) {
      byte[] cut = Arrays.copyOf(sealed, length);
      assertNull(cipher.open("a", Base64.getEncoder().encodeToString(cut)), length + " bytes");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "=", "not base64 at all", "AAAA"})
  void whatIsNoSealDoesNotOpen(String text) {
    assertNull(cipher(1).open("a", text));
  }
}
