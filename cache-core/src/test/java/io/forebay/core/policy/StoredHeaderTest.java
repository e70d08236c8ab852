package io.forebay.core.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.forebay.core.http.HeaderFields;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StoredHeaderTest {

  private static final String DATE = "Tue, 02 Jun 2026 10:00:00 GMT";
  private static final long CAME = 1_780_394_400_000L;

  private static String encode(int status, List<String> omitted, String... fields) {
    byte[] block = StoredHeader.encode(status, HeaderFields.of(fields), omitted, CAME);
    assertNotNull(block);
    return new String(block, StandardCharsets.ISO_8859_1);
  }

  @Test
  void keepsWhatIsForAllHops() {
    assertEquals(
        "date: " + DATE + "\r\ncontent-type: a/b; c=\"\u00e4\"\r\nvia: 1.1 x\r\nx-empty: \r\n",
        encode(
            404,
            List.of(),
            "Date",
            DATE,
            "Content-Type",
            "a/b; c=\"\u00e4\"",
            "Via",
            "1.1 x",
            "X-Empty",
            ""));
  }

  @Test
  void theFirstValueOfAFieldIsReadWithoutTheOthers() {
    byte[] block =
        encode(404, List.of(), "Date", DATE, "A-B", "1", "A", "2", "A", "3", "Empty", "")
            .getBytes(StandardCharsets.ISO_8859_1);
    assertEquals(DATE, StoredHeader.first(block, "date"));
    assertEquals("1", StoredHeader.first(block, "a-b"));
    assertEquals("2", StoredHeader.first(block, "a"));
    assertEquals("", StoredHeader.first(block, "empty"));
    assertNull(StoredHeader.first(block, "b"));
    assertNull(StoredHeader.first(block, "empty-"));
    assertNull(StoredHeader.first(new byte[0], "date"));
  }

  @Test
  void transportSecurityIsSaidFirstAndOnce() {
    String line = "strict-transport-security: max-age=5\r\n";
    String block =
        encode(
            404,
            List.of(),
            "Date",
            DATE,
            "Strict-Transport-Security",
            "max-age=5",
            "strict-transport-security",
            "max-age=6");
    assertEquals(line + "date: " + DATE + "\r\n", block);
    assertEquals(line.length(), transportSecurityLength(block));
    assertEquals(line.length(), transportSecurityLength(line));
    assertEquals(0, transportSecurityLength("server: x\r\n" + line));
    assertEquals(0, transportSecurityLength("strict-transport-security-x: 1\r\n"));
    assertEquals(0, transportSecurityLength("strict"));
    assertEquals(0, transportSecurityLength(""));
    assertEquals(
        "date: " + DATE + "\r\n",
        encode(
            404,
            List.of("strict-transport-security"),
            "Date",
            DATE,
            "Strict-Transport-Security",
            "max-age=5"));
  }

  private static int transportSecurityLength(String block) {
    byte[] bytes = ("??" + block + "\n").getBytes(StandardCharsets.ISO_8859_1);
    return StoredHeader.transportSecurityLength(MemorySegment.ofArray(bytes), 2, bytes.length - 3);
  }

  @Test
  void leavesOutWhatEndsHereOrIsWrittenAnew() {
    assertEquals(
        "date: " + DATE + "\r\nx: 1\r\naccept-ranges: bytes\r\n",
        encode(
            200,
            List.of("set-cookie"),
            "Date",
            DATE,
            "Connection",
            "x-hop, close",
            "X-Hop",
            "1",
            "Keep-Alive",
            "5",
            "Transfer-Encoding",
            "chunked",
            "Trailer",
            "x",
            "Age",
            "5",
            "Content-Length",
            "5",
            "Accept-Ranges",
            "none",
            "Set-Cookie",
            "a=b",
            "X",
            "1"));
  }

  @Test
  void addsTheDateThatTheOriginLeftOut() {
    assertEquals("x: 1\r\ndate: " + DATE + "\r\n", encode(404, List.of(), "x", "1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nb: c", "a\nb", "a\rb", "a\0", "\u0007", "\u20ac", " a"})
  void refusesValuesThatCouldSplitTheHeader(String value) {
    HeaderFields fields = HeaderFields.of("ok", "1", "x", value, "ok2", "2");
    assertNull(StoredHeader.encode(200, fields, List.of(), CAME));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a:", "a\r\nb", "\u00e4"})
  void refusesNamesThatAreNone(String name) {
    HeaderFields fields = HeaderFields.of(name, "1");
    assertNull(StoredHeader.encode(200, fields, List.of(), CAME));
  }

  @Test
  void refusesAHeaderThatIsTooLong() {
    String value = "x".repeat(1000);
    HeaderFields.Builder fields = HeaderFields.builder();
    for (int i = 0; i < 70; i++) {
      fields.add("x" + i, value);
    }
    assertNull(StoredHeader.encode(200, fields.build(), List.of(), CAME));
  }

  @Test
  void readsBackWhatItWrote() {
    HeaderFields fields = HeaderFields.of("date", DATE, "a", "1: 2", "a", "", "b", "\u00ff");
    byte[] block = StoredHeader.encode(404, fields, List.of(), CAME);
    assertNotNull(block);
    assertEquals(fields.toString(), StoredHeader.decode(block).toString());
    byte[] inside = new byte[block.length + 20];
    System.arraycopy(block, 0, inside, 7, block.length);
    HeaderFields again = StoredHeader.decode(MemorySegment.ofArray(inside), 7, block.length);
    assertArrayEquals(block, StoredHeader.encode(404, again, List.of(), CAME));
    byte[] cut = Arrays.copyOf(block, block.length - 1);
    assertThrows(IllegalArgumentException.class, () -> StoredHeader.decode(cut));
  }
}
