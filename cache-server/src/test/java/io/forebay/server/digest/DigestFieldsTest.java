package io.forebay.server.digest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.HeaderFields;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DigestFieldsTest {
  private static List<DigestFields.Expected> of(String... lines) {
    HeaderFields.Builder fields = HeaderFields.builder();
    for (String line : lines) {
      fields.add("repr-digest", line);
    }
    return DigestFields.of(fields.build(), DigestFields.OF_REPRESENTATION);
  }

  @Test
  void knownAlgorithmsAreReadFromAllLines() {
    assertEquals(
        List.of(
            new DigestFields.Expected(
                "repr-digest", DigestAlgorithm.SHA_256, ByteBuffer.wrap(new byte[] {1, 2})),
            new DigestFields.Expected(
                "repr-digest", DigestAlgorithm.SHA_512, ByteBuffer.wrap(new byte[] {3}))),
        of("md5=:AAAA:, sha-512=:Aw==:", "sha-256=:AQI=:;note=1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"sha-256", "sha-256=abc", "sha-256=:A$:", "sha-256=:AAAA", "SHA-256=:AAAA:", ""})
  void whatIsMalformedSaysNothing(String line) {
    assertEquals(List.of(), of(line));
  }

  @Test
  void anOverlongFieldSaysNothing() {
    assertEquals(List.of(), of("sha-256=:AAAA:, a=\"" + "x".repeat(5000) + "\""));
  }

  @Test
  void aLineIsWrittenIntoItsRoom() {
    byte[] head = "a: b\r\n".getBytes(StandardCharsets.US_ASCII);
    List<DigestAlgorithm> both = List.of(DigestAlgorithm.values());
    byte[] reserved = DigestLine.reserve(head, both);
    byte[] sha256 = new byte[32];
    byte[] sha512 = new byte[64];
    sha256[31] = 1;
    sha512[63] = 2;
    DigestLine.write(
        reserved, Map.of(DigestAlgorithm.SHA_256, sha256, DigestAlgorithm.SHA_512, sha512), both);
    assertEquals(
        "a: b\r\nrepr-digest: sha-256=:"
            + "A".repeat(42)
            + "E=:, sha-512=:"
            + "A".repeat(85)
            + "g==:\r\n",
        new String(reserved, StandardCharsets.US_ASCII));
    assertArrayEquals(head, DigestLine.reserve(head, List.of()));
  }
}
