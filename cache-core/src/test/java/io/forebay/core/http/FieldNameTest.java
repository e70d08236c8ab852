package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.CharBuffer;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FieldNameTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "X",
        "Content-Type",
        "content-type",
        "CONTENT-TYPE",
        "Content_Type",
        "Cache-Status",
        "X-Forwarded-For",
        "X-Forwarded-Fo2",
        "ETag",
        "Expires",
        "Exp\u0130res",
      })
  void everyNameIsBroughtToLowerCase(String name) {
    assertEquals(name.toLowerCase(Locale.ROOT), FieldName.lowerCase(name));
    assertEquals(name.toLowerCase(Locale.ROOT), FieldName.lowerCase(CharBuffer.wrap(name)));
  }

  @Test
  void commonNamesAreOneString() {
    for (String name : new String[] {"Cache-Control", "Content-Type", "Date", "ETag", "Host"}) {
      assertSame(FieldName.lowerCase(name), FieldName.lowerCase(CharBuffer.wrap(name)), name);
    }
  }
}
