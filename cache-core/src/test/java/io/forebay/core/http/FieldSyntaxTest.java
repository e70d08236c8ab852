package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FieldSyntaxTest {

  /** RFC 9110 §5.6.2. */
  @Test
  void tokenCharactersAreThoseOfTheRfc() {
    String allowed =
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (int c = 0; c < 300; c++) {
      assertEquals(allowed.indexOf(c) >= 0, FieldSyntax.isTokenChar(c), "character " + c);
    }
    assertFalse(FieldSyntax.isTokenChar(-1));
    assertFalse(FieldSyntax.isToken(""));
    assertFalse(FieldSyntax.isToken("x "));
    assertTrue(FieldSyntax.isToken("x-Y"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a b\tc", "\u00e4\u0085\u00a0x", "\"", "a\u0080"})
  void acceptsValues(String value) {
    assertTrue(FieldSyntax.isValue(value));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " a", "a ", "\ta", "a\r\nb", "a\nb", "a\rb", "a\0", "\u007f", "\u001f", "\u0100", "\u00a0a",
        "a\u0085", "\u20ac"
      })
  void refusesValues(String value) {
    assertFalse(FieldSyntax.isValue(value));
  }

  @Test
  void comparesWithoutCase() {
    assertTrue(FieldSyntax.equalsIgnoreCase("GZip", "gzip"));
    assertFalse(FieldSyntax.equalsIgnoreCase("gzip1", "gzip"));
    assertFalse(FieldSyntax.equalsIgnoreCase("@", "`"));
    assertFalse(FieldSyntax.equalsIgnoreCase("\u212a", "k"));
    assertEquals("a b", FieldSyntax.trim(" \ta b\t ", 0, 7));
  }
}
