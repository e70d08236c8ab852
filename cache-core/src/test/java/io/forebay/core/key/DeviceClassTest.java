package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.forebay.core.http.HeaderFields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class DeviceClassTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36 |   | DESKTOP
          Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/17.0 Safari/605.1.15            |   | DESKTOP
          Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Tablet PC 2.0)                       |   | DESKTOP
          curl/7.88.1                                                                             |   | DESKTOP
          Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148 Safari/604.1        |   | MOBILE
          Mozilla/5.0 (Linux; Android 10; K) Chrome/120.0.0.0 Mobile Safari/537.36                |   | MOBILE
          Mozilla/5.0 (Linux; Android 9; CUBOT X19) Chrome/80 Mobile Safari/537.36                |   | MOBILE
          Opera/9.80 (J2ME/MIDP; Opera Mini/9.80)                                                 |   | MOBILE
          Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1)                                         |   | TABLET
          Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) Mobile/15E148 Safari/604.1                |   | TABLET
          Mozilla/5.0 (Linux; Android 12; SM-X200) Chrome/120.0.0.0 Safari/537.36                 |   | TABLET
          Mozilla/5.0 (Android 14; Tablet; rv:120.0) Gecko/120.0 Firefox/120.0                    |   | TABLET
          Mozilla/5.0 (Linux; U; Android 4.0.3; KFTT) Silk/3.0 Mobile Safari                      |   | TABLET
          Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)                |   | BOT
          Mozilla/5.0 (Linux; Android 6.0.1) Mobile Safari (compatible; Googlebot/2.1)            | ?1| BOT
          facebookexternalhit/1.1                                                                 |   | BOT
          Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0.0.0 Safari/537.36                          | ?1| MOBILE
          Mozilla/5.0 (Linux; Android 10; K) Chrome/120.0.0.0 Mobile Safari/537.36                | ?0| MOBILE
                                                                                                  | ?1| MOBILE
                                                                                                  |   | DESKTOP
          """)
  void tellsWhatKindOfDeviceAsks(String agent, String hint, DeviceClass expected) {
    HeaderFields.Builder fields = HeaderFields.builder();
    if (agent != null) {
      fields.add("User-Agent", agent);
    }
    if (hint != null) {
      fields.add("Sec-CH-UA-Mobile", hint);
    }
    assertSame(expected, DeviceClass.of(fields.build()), agent);
  }

  @Test
  void whatStandsBehind512CharactersDoesNotCount() {
    String padded = "x".repeat(510) + "bot";
    assertSame(DeviceClass.DESKTOP, DeviceClass.of(HeaderFields.of("user-agent", padded)));
  }

  @ParameterizedTest
  @EnumSource
  void whatOriginsAreToldIsOfTheClassItself(DeviceClass device) {
    HeaderFields fields =
        HeaderFields.of(
            "user-agent",
            device.userAgent(),
            "sec-ch-ua-mobile",
            device == DeviceClass.MOBILE ? "?1" : "?0");
    assertEquals(device, DeviceClass.of(fields));
  }
}
