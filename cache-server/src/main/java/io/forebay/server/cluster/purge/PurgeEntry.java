package io.forebay.server.cluster.purge;

import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeOrder.Reach;
import io.forebay.storage.purge.PurgeKind;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * An entry of the log: the text of a purge, which each node turns into scopes of its own.
 *
 * <p>What later versions have added, a node of an earlier one does not see; what it does then
 * purges more, never less:
 *
 * <ul>
 *   <li>{@code storedBefore}: it purges whatever the time.
 *   <li>{@code undo}: it keeps the purge in force. The entry is a soft purge of a tag that no
 *       object has.
 * </ul>
 *
 * @param by the node that took the order
 * @param at time of the order by that node's clock; null where it cannot be read
 */
record PurgeEntry(PurgeOrder order, String by, @Nullable Instant at) {
  private static final int MAX_TEXT = 12 << 10;
  private static final int VERSION = 1;

  /** Before the id of what is undone. No origin gives such a tag: tags have no blanks. */
  private static final String UNDO_TAG = "forebay undo of ";

  /**
   * The key below {@code purge/}, {@code HH/KIND-DIGEST}; orders of one scope have the same key.
   */
  static String key(PurgeOrder order) {
    String kind = order.kind().label() + (order.isSoft() ? "-soft" : "");
    byte[] digest;
    try {
      digest =
          MessageDigest.getInstance("SHA-256")
              .digest(
                  (kind + '\n' + reach(order.reach()) + '\n' + order.text() + limit(order))
                      .getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("no SHA-256 in this Java", e);
    }
    String hex = HexFormat.of().formatHex(Arrays.copyOf(digest, 16));
    return hex.substring(0, 2) + "/" + kind + "-" + hex;
  }

  /** What is purged of one time is another scope than the whole of it. */
  private static String limit(PurgeOrder order) {
    return order.storedBefore() == null ? "" : "\n" + order.storedBefore();
  }

  String json() {
    boolean isUndo = order.kind() == PurgeKind.UNDO;
    ObjectNode object =
        Json.object()
            .put("v", VERSION)
            .put("kind", (isUndo ? PurgeKind.TAG : order.kind()).label())
            .put("text", isUndo ? UNDO_TAG + order.text() : order.text())
            .put("soft", order.isSoft())
            .put("reach", reach(order.reach()))
            .put("by", by)
            .put("at", String.valueOf(at));
    if (isUndo) {
      object.put("undo", order.text());
    }
    if (order.storedBefore() != null) {
      object.put("storedBefore", order.storedBefore().toString());
    }
    return new String(Json.bytes(object), StandardCharsets.UTF_8).strip();
  }

  private static String reach(Reach reach) {
    return reach.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** An entry from its JSON; null where this version cannot read it. */
  static @Nullable PurgeEntry read(String json) {
    ObjectNode object;
    try {
      object = Json.object(json.getBytes(StandardCharsets.UTF_8));
    } catch (AdminError e) {
      return null;
    }
    InputProblems problems = new InputProblems();
    String kind = Json.text(object, "kind", MAX_TEXT, problems);
    String text = Json.text(object, "text", MAX_TEXT, problems);
    String reach = Json.text(object, "reach", MAX_TEXT, problems);
    String by = Json.text(object, "by", MAX_TEXT, problems);
    String at = Json.text(object, "at", MAX_TEXT, problems);
    String undo = Json.text(object, "undo", MAX_TEXT, problems);
    String limit = Json.text(object, "storedBefore", MAX_TEXT, problems);
    boolean isSoft = Json.flag(object, "soft", false, problems);
    PurgeKind known = kind(kind);
    Reach found = reach(reach);
    if (!problems.isEmpty()
        || object.path("v").asInt(0) != VERSION
        || known == null
        || text == null
        || found == null) {
      return null;
    }
    Instant storedBefore = instant(limit);
    if (limit != null && storedBefore == null) {
      return null;
    }
    PurgeOrder order =
        undo == null
            ? new PurgeOrder(known, text, isSoft, found, storedBefore)
            : new PurgeOrder(PurgeKind.UNDO, undo, true);
    return new PurgeEntry(order, by == null ? "" : by, instant(at));
  }

  private static @Nullable PurgeKind kind(@Nullable String label) {
    return Arrays.stream(PurgeKind.values())
        .filter(one -> one.label().equals(label))
        .findFirst()
        .orElse(null);
  }

  private static @Nullable Reach reach(@Nullable String text) {
    return Arrays.stream(Reach.values())
        .filter(one -> reach(one).equals(text))
        .findFirst()
        .orElse(null);
  }

  private static @Nullable Instant instant(@Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException e) {
      return null;
    }
  }
}
