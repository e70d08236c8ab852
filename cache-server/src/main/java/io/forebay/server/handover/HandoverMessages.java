package io.forebay.server.handover;

import io.forebay.server.json.Json;
import io.forebay.server.listen.InheritedSockets.Entry;
import io.forebay.server.listen.InheritedSockets.Kind;
import io.forebay.server.listen.Listeners;
import io.forebay.server.tls.ClientTls;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The messages between two processes, and their strict reading. */
final class HandoverMessages {

  /** Rises when the messages change; another number is refused before anything has happened. */
  static final int PROTOCOL = 1;

  static final String TYPE = "type";
  static final String TAKE_OVER = "take-over";
  static final String UPGRADE = "upgrade";
  static final String SOCKETS = "sockets";
  static final String OFFER = "offer";
  static final String BEGIN = "begin";
  static final String RELEASED = "released";
  static final String SERVING = "serving";
  static final String REFUSED = "refused";
  static final String STARTED = "started";
  static final String DONE = "done";
  static final String FAILED = "failed";

  private static final int MAX_SOCKETS = 8192;
  private static final int MAX_TICKET_KEYS = 16;

  private HandoverMessages() {}

  static ObjectNode of(String type) {
    return Json.object().put(TYPE, type);
  }

  static String type(ObjectNode message) {
    return message.path(TYPE).asString("");
  }

  static ObjectNode takeOver(String version) {
    return of(TAKE_OVER).put("protocol", PROTOCOL).put("version", version);
  }

  static ObjectNode refused(String reason) {
    return of(REFUSED).put("reason", reason);
  }

  /** Reads the reason of a message that has one. */
  static String reason(ObjectNode message) {
    return message.path("reason").asString("no reason given");
  }

  /** What the successor gets, without the descriptors: these follow in the order of the sockets. */
  record Offer(String token, String version, List<Named> sockets, Keys keys) {}

  record Named(String listener, Kind kind, @Nullable String configured) {}

  @SuppressWarnings("ArrayRecordComponent") // read once
  record Keys(List<byte[]> tickets, long ticketsMadeAtMillis, byte[] token) {}

  static ObjectNode offer(String token, String version, Inheritance left) {
    ObjectNode offer = of(OFFER).put("token", token).put("version", version);
    ArrayNode sockets = offer.putArray("sockets");
    for (Entry entry : left.sockets()) {
      ObjectNode socket =
          sockets.addObject().put("listener", entry.listener()).put("kind", entry.kind().name());
      String configured = entry.configured();
      if (configured != null) {
        socket.put("configured", configured);
      }
    }
    ArrayNode tickets = offer.putArray("ticketKeys");
    left.ticketKeys().forEach(key -> tickets.add(Base64.getEncoder().encodeToString(key)));
    return offer
        .put("ticketKeysMadeAt", left.ticketKeysMadeAtMillis())
        .put("tokenKey", Base64.getEncoder().encodeToString(left.tokenKey()));
  }

  static Offer readOffer(ObjectNode message) throws IOException {
    JsonNode sockets = message.path("sockets");
    JsonNode tickets = message.path("ticketKeys");
    if (sockets.size() > MAX_SOCKETS || tickets.size() > MAX_TICKET_KEYS) {
      throw new IOException("an offer with too many sockets or keys");
    }
    List<Named> named = new ArrayList<>();
    for (JsonNode socket : sockets) {
      String listener = socket.path("listener").asString("");
      JsonNode configured = socket.path("configured");
      named.add(
          new Named(
              listener,
              kind(socket.path("kind").asString("")),
              configured.isString() ? configured.asString() : null));
    }
    List<byte[]> keys = new ArrayList<>();
    for (JsonNode key : tickets) {
      keys.add(key(key.asString(""), ClientTls.TICKET_KEY_BYTES));
    }
    return new Offer(
        message.path("token").asString(""),
        message.path("version").asString(""),
        named,
        new Keys(
            keys,
            message.path("ticketKeysMadeAt").asLong(0),
            key(message.path("tokenKey").asString(""), Listeners.TOKEN_KEY_BYTES)));
  }

  private static Kind kind(String name) throws IOException {
    for (Kind kind : Kind.values()) {
      if (kind.name().equals(name)) {
        return kind;
      }
    }
    throw new IOException("an offer with an unknown kind of socket");
  }

  private static byte[] key(String text, int bytes) throws IOException {
    try {
      byte[] key = Base64.getDecoder().decode(text);
      if (key.length == bytes) {
        return key;
      }
    } catch (IllegalArgumentException e) {
      throw new IOException("an offer with a malformed key", e);
    }
    throw new IOException("an offer with a key of the wrong length");
  }
}
