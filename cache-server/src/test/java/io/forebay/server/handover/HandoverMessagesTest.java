package io.forebay.server.handover;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.forebay.server.handover.HandoverMessages.Named;
import io.forebay.server.handover.HandoverMessages.Offer;
import io.forebay.server.json.Json;
import io.forebay.server.listen.InheritedSockets.Entry;
import io.forebay.server.listen.InheritedSockets.Kind;
import io.forebay.server.tls.ClientTls;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

final class HandoverMessagesTest {

  private static ObjectNode offer() throws Exception {
    byte[] ticket = new byte[ClientTls.TICKET_KEY_BYTES];
    ticket[3] = 7;
    Inheritance left =
        new Inheritance(
            List.of(
                new Entry("http", Kind.TCP, "127.0.0.1 80", 17),
                new Entry("any", Kind.UDP, null, 18)),
            List.of(ticket),
            1234,
            Inheritance.none().tokenKey());
    return Json.object(Json.bytes(HandoverMessages.offer("token", "1.2", left)));
  }

  @Test
  void anOfferIsReadAsItWasWritten() throws Exception {
    Offer read = HandoverMessages.readOffer(offer());
    assertEquals("token", read.token());
    assertEquals("1.2", read.version());
    assertEquals(
        List.of(new Named("http", Kind.TCP, "127.0.0.1 80"), new Named("any", Kind.UDP, null)),
        read.sockets());
    assertEquals(1234, read.keys().ticketsMadeAtMillis());
    assertEquals(7, read.keys().tickets().getFirst()[3]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "AAAA", "no base64!"})
  void aKeyOfAnotherLengthIsRefused(String key) throws Exception {
    ObjectNode offer = offer().put("tokenKey", key);
    assertThrows(IOException.class, () -> HandoverMessages.readOffer(offer));
  }

  @Test
  void anUnknownKindOfSocketIsRefused() throws Exception {
    ObjectNode offer = offer();
    offer.putArray("sockets").addObject().put("listener", "a").put("kind", "VSOCK");
    assertThrows(IOException.class, () -> HandoverMessages.readOffer(offer));
  }

  @Test
  void keysOfQuicTokensSurvive() throws Exception {
    byte[] key = Inheritance.none().tokenKey();
    Inheritance left = new Inheritance(List.of(), List.of(), 0, key);
    assertArrayEquals(
        key, HandoverMessages.readOffer(HandoverMessages.offer("t", "v", left)).keys().token());
  }
}
