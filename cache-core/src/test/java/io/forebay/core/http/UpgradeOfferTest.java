package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Upgrade offers, and the responses that accept them. */
final class UpgradeOfferTest {

  // The example of RFC 6455 §1.3.
  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  private static final Set<String> ALLOWED = Set.of("websocket", "echo", "irc/6.9");

  private static SyntheticRequest request(String... fields) {
    return SyntheticRequest.of("GET", "http://h/", fields);
  }

  private static SyntheticRequest webSocket(String key, String version) {
    return request(
        "Connection",
        "keep-alive, Upgrade",
        "Upgrade",
        "WebSocket",
        "Sec-WebSocket-Key",
        key,
        "Sec-WebSocket-Version",
        version);
  }

  /** RFC 9110 §7.8. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      textBlock =
          """
          upgrade             | echo                 | echo
          close, UPGRADE      | Echo                 | Echo
          upgrade             | h2c, echo            | echo
          upgrade             | IRC/6.9, echo        | IRC/6.9, echo
          upgrade             | irc/7                | none
          upgrade             | h2c                  | none
          upgrade             | echo ;q=1            | none
          upgrade             | ,,                   | none
          upgrade             | a,b,c,d,e,f,g,h,echo | none
          keep-alive          | echo                 | none
          upgrade             | websocket            | none
          """)
  void passesOnWhatIsAllowed(String connection, String upgrade, String passed) {
    UpgradeOffer offer =
        UpgradeOffer.of(request("Connection", connection, "Upgrade", upgrade), ALLOWED);
    assertEquals(passed, offer == null ? null : offer.value());
  }

  @Test
  void isOfferedByAGetWithoutABodyOnly() {
    String[] fields = {"Connection", "upgrade", "Upgrade", "echo"};
    assertNotNull(UpgradeOffer.of(request(fields), ALLOWED));
    assertNull(UpgradeOffer.of(request(fields), Set.of()));
    assertNull(UpgradeOffer.of(request(fields).withBody(), ALLOWED));
    assertNull(UpgradeOffer.of(SyntheticRequest.of("POST", "http://h/", fields), ALLOWED));
    assertNull(UpgradeOffer.of(SyntheticRequest.of("HEAD", "http://h/", fields), ALLOWED));
  }

  /** RFC 6455 §4.1, §4.2.1. */
  @Test
  void aWebSocketIsOfferedWithAKeyOfTheVersionThatThereIs() {
    assertNotNull(UpgradeOffer.of(webSocket(KEY, "13"), ALLOWED));
    assertNull(UpgradeOffer.of(webSocket(KEY, "8"), ALLOWED));
    assertNull(UpgradeOffer.of(webSocket("short", "13"), ALLOWED));
  }

  /** RFC 9110 §15.2.2, RFC 6455 §4.2.2. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      textBlock =
          """
          upgrade             | websocket       | s3pPLMBiTxaQ9kYGzzhZRbK+xOo= | none
          Upgrade, keep-alive | WebSocket       | s3pPLMBiTxaQ9kYGzzhZRbK+xOo= | none
          upgrade             | echo            | none                         | none
          keep-alive          | websocket       | s3pPLMBiTxaQ9kYGzzhZRbK+xOo= | Connection does not contain upgrade
          upgrade             | websocket, echo | s3pPLMBiTxaQ9kYGzzhZRbK+xOo= | Upgrade names 2 protocols
          upgrade             | ''              | s3pPLMBiTxaQ9kYGzzhZRbK+xOo= | Upgrade names 0 protocols
          upgrade             | h2c             | none                         | Upgrade names a protocol that was not offered
          upgrade             | websocket       | none                         | Sec-WebSocket-Accept does not match the key
          upgrade             | websocket       | S3pPLMBiTxaQ9kYGzzhZRbK+xOo= | Sec-WebSocket-Accept does not match the key
          """)
  void anAnswerTakesTheOfferUpOrDoesNot(
      String connection, String upgrade, String accept, String refusal) {
    List<String> fields = new ArrayList<>(List.of("connection", connection, "upgrade", upgrade));
    if (accept != null) {
      fields.addAll(List.of("sec-websocket-accept", accept));
    }
    UpgradeOffer offer =
        UpgradeOffer.of(
            request(
                "Connection",
                "upgrade",
                "Upgrade",
                "websocket, echo",
                "Sec-WebSocket-Key",
                KEY,
                "Sec-WebSocket-Version",
                "13"),
            ALLOWED);
    assertNotNull(offer);
    assertEquals(refusal, offer.refusal(HeaderFields.of(fields.toArray(new String[0]))));
  }

  @Test
  void theChosenProtocolIsWhatTheAnswerSays() {
    UpgradeOffer offer =
        UpgradeOffer.of(request("Connection", "upgrade", "Upgrade", "irc/6.9, Echo"), ALLOWED);
    assertNotNull(offer);
    assertEquals("ECHO", offer.chosen(HeaderFields.of("upgrade", " ECHO,")));
  }
}
