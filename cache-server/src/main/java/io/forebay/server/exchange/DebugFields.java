package io.forebay.server.exchange;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.ForwardingRequest;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.Age;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.protect.url.DebugToken;
import io.forebay.server.rule.Rule;
import io.forebay.server.rule.RuleOutcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a client with a valid token sees of its request: the last lines of its response, made when
 * its head is written.
 *
 * <pre>
 *   Forebay-Debug: reason=hit-fresh, request-id="...", route="...", origin="...", key="...", ...
 *   Server-Timing: total;dur=0.2, origin;dur=...
 * </pre>
 *
 * <p>Owner: the exchange.
 */
final class DebugFields implements Supplier<byte[]> {
  /** In requests the token, in responses a dictionary (RFC 8941). */
  static final String NAME = "forebay-debug";

  private static final int MAX_KEY = 2048;
  private static final int MAX_RULES = 50;

  private final ExchangeContext loop;
  private final ClientRequest request;
  private final RequestRecord record;

  private @Nullable Reason why;
  private boolean isStored;
  private long age;
  private long ttl;
  private boolean isFromDisk;

  DebugFields(ExchangeContext loop, ClientRequest request, RequestRecord record) {
    this.loop = loop;
    this.request = request;
    this.record = record;
  }

  /** Whether the request has one token, and that is valid. */
  static boolean admits(DebugToken tokens, RequestView request, long nowMillis) {
    List<String> values = request.fields().all(NAME);
    return values.size() == 1 && tokens.admits(values.getFirst().strip(), nowMillis / 1000);
  }

  /** The request as everybody else sees it: no key, log or origin has the token. */
  static RequestView without(RequestView request) {
    HeaderFields.Builder kept = HeaderFields.builder();
    request
        .fields()
        .forEach((name, value) -> {
          if (!name.toString().toLowerCase(Locale.ROOT).equals(NAME)) {
            kept.add(name, value);
          }
        });
    return new Untold(request, kept.build());
  }

  /** Has no token; all fields that are known by number stay. */
  private record Untold(RequestView request, FieldsView fields) implements ForwardingRequest {}

  /** Why the response is as it is, where that is not what the request was forwarded for. */
  void because(Reason reason) {
    why = reason;
  }

  /** The response is that of a stored object, or of one that is being stored. */
  void stored(StoredMeta meta, Reason reason, long now) {
    isStored = true;
    age = Age.currentAgeSeconds(meta, now);
    ttl = Age.timeToLiveSeconds(meta, now);
    why = reason;
  }

  /** What is stored had to be read from a disk. */
  void fromDisk() {
    isFromDisk = true;
  }

  @Override
  public byte[] get() {
    StringBuilder out = new StringBuilder(256);
    Reason reason = why == null ? request.reason() : why;
    out.append(NAME).append(": reason=").append(reason.label());
    text(out, "request-id", record.requestId());
    Route route = request.routeIfAny();
    if (route != null) {
      text(out, "route", route.name());
      text(out, "origin", String.valueOf(record.origin()));
      text(out, "key", key(route));
    }
    if (isStored) {
      out.append(", age=").append(age).append(", ttl=").append(ttl);
      out.append(", tier=").append(isFromDisk ? "disk" : "memory");
    }
    RuleOutcome rules = request.rules();
    if (rules != null && !rules.rules().isEmpty()) {
      out.append(", rules=(");
      String separator = "";
      for (Rule rule : rules.rules().subList(0, Math.min(MAX_RULES, rules.rules().size()))) {
        out.append(separator);
        quoted(out, rule.name() + " " + rule.place());
        separator = " ";
      }
      out.append(')');
    }
    out.append("\r\nserver-timing: total;dur=").append(millis(record.nanosSoFar()));
    long asked = record.nanosSinceForwarded();
    if (asked >= 0) {
      out.append(", origin;dur=").append(millis(asked));
    }
    return out.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private String key(Route route) {
    // That of the loop may be in use.
    KeyBuilder keys = new KeyBuilder(loop.store().secret());
    if (!keys.build(request.view(), route.keyRecipe())) {
      return "";
    }
    String key = new String(keys.text(), 0, keys.textLength(), StandardCharsets.ISO_8859_1);
    return key.length() > MAX_KEY ? key.substring(0, MAX_KEY) : key;
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.3f", nanos / 1e6);
  }

  private static void text(StringBuilder out, String key, String value) {
    out.append(", ").append(key).append('=');
    quoted(out, value);
  }

  /** A string (RFC 8941 §3.3.3); what no string has becomes a question mark. */
  private static void quoted(StringBuilder out, String value) {
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\');
      }
      out.append(c < ' ' || c > '~' ? '?' : c);
    }
    out.append('"');
  }
}
