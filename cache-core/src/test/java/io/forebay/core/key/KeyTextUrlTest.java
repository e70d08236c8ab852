package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

final class KeyTextUrlTest {

  @Test
  void aKeyLeadsToAUrlThatHasIt() {
    assertEquals("http://a.example/p?q", KeyText.url("http://a.example:80/p?q"));
    assertEquals("https://a.example/", KeyText.url("https://a.example:443/"));
    assertEquals("http://a.example:443/p", KeyText.url("http://a.example:443/p"));
    assertEquals("http://[::1]:8080/p", KeyText.url("http://[::1]:8080/p"));
    assertEquals("https://a.example/p", KeyText.url("://a.example/p"), "without its scheme");
    assertEquals("http://a.example/p", KeyText.url("http://a.example/p"), "without its port");
  }

  @Test
  void variantsAndFieldsAreNoPartOfIt() {
    assertEquals(
        "http://a.example/p",
        KeyText.url("http://a.example:80/p#d=mobile;h:x=\"://\" accept-encoding=\"br\" :br9.1"));
  }

  @Test
  void whatNoPlainGetHasIsNone() {
    assertNull(KeyText.url("http://a.example:80/p#b=0123456789ab"));
    assertNull(KeyText.url("http://a.example:80/p#n=s-utm"));
    assertNull(KeyText.url("http://a.example:80/p#?"));
    assertNull(KeyText.url("no key"));
  }
}
