package io.forebay.core.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The protocols that a client offers in Upgrade (RFC 9110 §7.8), restricted to those that may be
 * forwarded, and the check whether a response accepts the offer. For WebSocket the check includes
 * Sec-WebSocket-Accept (RFC 6455 §4.2.2), because a response that only resembles an upgrade would
 * turn the rest of the connection into unchecked bytes.
 */
public final class UpgradeOffer {

  private static final String WEBSOCKET = "websocket";

  /** Protocols that are looked at; who offers more offers nothing. */
  private static final int MAX_PROTOCOLS = 8;

  private static final int KEY_LENGTH = 24;
  private static final String ACCEPT_SALT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  private final List<String> protocols;

  /** The Sec-WebSocket-Accept that must come back, or null where no WebSocket is offered. */
  private final @Nullable String accept;

  private UpgradeOffer(List<String> protocols, @Nullable String accept) {
    this.protocols = protocols;
    this.accept = accept;
  }

  /**
   * The part of a request's offer that may be passed on, or null when there is none: the request is
   * then one like any other. Only a GET without a body offers anything here: what follows another
   * request's head is its body first.
   *
   * @param allowed names of protocols in lower case
   */
  public static @Nullable UpgradeOffer of(RequestView request, Set<String> allowed) {
    if (!request.has(KnownField.UPGRADE)
        || allowed.isEmpty()
        || !request.method().equals("GET")
        || request.hasBody()
        || !lists(request.fields().all("connection"), "upgrade")) {
      return null;
    }
    List<String> offered = members(request.fields().all("upgrade"));
    if (offered.size() > MAX_PROTOCOLS) {
      return null;
    }
    List<String> passed = new ArrayList<>(1);
    String accept = null;
    for (String protocol : offered) {
      if (!isProtocol(protocol) || !allowed.contains(protocol.toLowerCase(Locale.ROOT))) {
        continue;
      }
      if (protocol.equalsIgnoreCase(WEBSOCKET)) {
        accept = acceptOf(request.fields());
        if (accept == null) {
          continue;
        }
      }
      passed.add(protocol);
    }
    return passed.isEmpty() ? null : new UpgradeOffer(List.copyOf(passed), accept);
  }

  /** The value of Upgrade to send on. */
  public String value() {
    return String.join(", ", protocols);
  }

  /** The protocol that a 101 has chosen; only of one that {@link #refusal} has nothing against. */
  public String chosen(FieldsView answer) {
    return members(answer.all("upgrade")).getFirst();
  }

  /** Why the fields of a 101 do not take the offer up, in a few words; null when they do. */
  public @Nullable String refusal(FieldsView answer) {
    if (!lists(answer.all("connection"), "upgrade")) {
      return "Connection does not contain upgrade";
    }
    List<String> chosen = members(answer.all("upgrade"));
    if (chosen.size() != 1) {
      return "Upgrade names " + chosen.size() + " protocols";
    }
    String protocol = chosen.getFirst();
    if (protocols.stream().noneMatch(protocol::equalsIgnoreCase)) {
      return "Upgrade names a protocol that was not offered";
    }
    if (protocol.equalsIgnoreCase(WEBSOCKET)
        && !answer.all("sec-websocket-accept").equals(List.of(String.valueOf(accept)))) {
      return "Sec-WebSocket-Accept does not match the key";
    }
    return null;
  }

  /** What has to come back for the key of this request; null when it is no opening handshake. */
  private static @Nullable String acceptOf(FieldsView fields) {
    List<String> keys = fields.all("sec-websocket-key");
    if (keys.size() != 1
        || keys.getFirst().length() != KEY_LENGTH
        || !fields.all("sec-websocket-version").equals(List.of("13"))) {
      return null;
    }
    String text = keys.getFirst() + ACCEPT_SALT;
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      return Base64.getEncoder()
          .encodeToString(digest.digest(text.getBytes(StandardCharsets.ISO_8859_1)));
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("every Java platform has SHA-1", e);
    }
  }

  /** {@code name} or {@code name/version}, both tokens. */
  public static boolean isProtocol(String text) {
    int slash = text.indexOf('/');
    return slash < 0
        ? FieldSyntax.isToken(text)
        : FieldSyntax.isToken(text.substring(0, slash))
            && FieldSyntax.isToken(text.substring(slash + 1));
  }

  private static boolean lists(List<String> lines, String option) {
    return members(lines).stream().anyMatch(option::equalsIgnoreCase);
  }

  private static List<String> members(List<String> lines) {
    List<String> members = new ArrayList<>(2);
    for (String line : lines) {
      int start = 0;
      for (int i = 0; i <= line.length(); i++) {
        if (i == line.length() || line.charAt(i) == ',') {
          String member = FieldSyntax.trim(line, start, i);
          start = i + 1;
          if (!member.isEmpty()) {
            members.add(member);
          }
        }
      }
    }
    return members;
  }
}
