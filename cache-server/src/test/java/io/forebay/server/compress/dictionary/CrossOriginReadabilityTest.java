package io.forebay.server.compress.dictionary;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.HeaderFields;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9842 §9.3.3, line by line. */
final class CrossOriginReadabilityTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          -           | -          | -           | -           | true
          -           | no-cors    | https://b.c | -           | true
          same-origin | no-cors    | -           | -           | true
          cross-site  | -          | -           | -           | true
          cross-site  | navigate   | -           | -           | true
          none        | navigate   | -           | -           | true
          cross-site  | same-origin| -           | -           | true
          cross-site  | no-cors    | https://b.c | *           | false
          same-site   | no-cors    | -           | *           | false
          cross-site  | cors       | https://b.c | -           | false
          cross-site  | cors       | -           | *           | false
          cross-site  | cors       | https://b.c | *           | true
          cross-site  | cors       | https://b.c | https://b.c | true
          cross-site  | cors       | https://b.c | https://b.d | false
          cross-site  | websocket  | https://b.c | *           | false
          cross-site  | junk       | https://b.c | *           | false
          """)
  void aPageGetsADeltaOnlyOfWhatItMayRead(
      String site, String mode, String origin, String allowed, boolean isReadable) {
    HeaderFields.Builder request = HeaderFields.builder();
    add(request, "Sec-Fetch-Site", site);
    add(request, "Sec-Fetch-Mode", mode);
    add(request, "Origin", origin);
    HeaderFields.Builder response = HeaderFields.builder();
    add(response, "Access-Control-Allow-Origin", allowed);
    assertEquals(isReadable, CrossOriginReadability.isReadable(request.build(), response::build));
  }

  private static void add(HeaderFields.Builder fields, String name, String value) {
    if (value != null) {
      fields.add(name, value);
    }
  }
}
