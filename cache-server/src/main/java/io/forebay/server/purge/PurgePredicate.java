package io.forebay.server.purge;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.key.KeyText;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.text.LinearRegex;
import io.forebay.storage.purge.PurgeMatcher;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A purge by pattern, in the form used in the journal and in receipts:
 *
 * <pre>
 *   path ^/img/.*\.png$
 *   header content-type: ^video/
 *   host www.example.com path ^/img/
 *   stored-before 2026-01-01T00:00:00Z
 *   stored-before 2026-01-01T00:00:00Z path \.png$
 *   stored-before 2026-01-01T00:00:00Z of tag article-17
 * </pre>
 *
 * <p>{@code stored-before} asks for the time by this node's clock at which the response came from
 * the origin, or was validated last. What stands behind {@code of} says which purge it limits; the
 * scopes of that are in the journal beside the text.
 *
 * <p>The expression is searched for, not matched: anchors say otherwise. One on the path is found
 * in the path alone or in path and query, so that {@code \.png$} takes {@code /a.png?v=1} as well.
 * One on a header field is found in the value of any of its lines, as stored. A text longer than
 * {@link #MAX_TEXT} counts as matching: a purge may take too much, never too little, and a lookup
 * must not be delayed. Any thread.
 */
public final class PurgePredicate implements PurgeMatcher {
  static final int MAX_TEXT = 2048;

  private static final String STORED_BEFORE = "stored-before ";
  private static final String OF = "of ";
  private static final String HOST = "host ";
  private static final String PATH = "path ";
  private static final String HEADER = "header ";

  /** Fields that no stored header has, or that it has with another value than was sent. */
  private static final Set<String> NOT_STORED =
      Set.of(
          "age",
          "connection",
          "content-length",
          "content-range",
          "keep-alive",
          "transfer-encoding",
          "upgrade");

  private final @Nullable String host;

  /** Null for the path. */
  private final @Nullable String fieldStart;

  /** Null where the time alone counts. */
  private final @Nullable LinearRegex regex;

  private final @Nullable Instant storedBefore;

  private PurgePredicate(
      @Nullable String host,
      @Nullable String field,
      @Nullable LinearRegex regex,
      @Nullable Instant storedBefore) {
    this.host = host;
    this.fieldStart = field == null ? null : "\r\n" + field + ": ";
    this.regex = regex;
    this.storedBefore = storedBefore;
  }

  /** The text of one on the path. */
  public static String onPath(@Nullable String host, String regex) {
    return (host == null ? "" : HOST + host + " ") + PATH + regex;
  }

  /** The text of one on a header field, which is given as {@code name: regex}. */
  public static String onHeader(@Nullable String host, String nameAndRegex) {
    return (host == null ? "" : HOST + host + " ") + HEADER + nameAndRegex;
  }

  /** The text of one on the time alone; {@code of} says what it limits, empty for everything. */
  public static String onTime(Instant storedBefore, String of) {
    return STORED_BEFORE + storedBefore + (of.isEmpty() ? "" : " " + OF + of);
  }

  /** The text of another one, limited by time. */
  public static String onTimeAnd(Instant storedBefore, String predicate) {
    return STORED_BEFORE + storedBefore + " " + predicate;
  }

  /**
   * Reads its text.
   *
   * @throws IllegalArgumentException when it is none
   */
  public static PurgePredicate parse(String text) {
    String host = null;
    String rest = text;
    Instant storedBefore = null;
    if (rest.startsWith(STORED_BEFORE)) {
      int end = rest.indexOf(' ', STORED_BEFORE.length());
      storedBefore = time(rest.substring(STORED_BEFORE.length(), end < 0 ? rest.length() : end));
      rest = end < 0 ? "" : rest.substring(end + 1);
      if (rest.isEmpty() || rest.startsWith(OF)) {
        return new PurgePredicate(null, null, null, storedBefore);
      }
    }
    if (rest.startsWith(HOST)) {
      int end = rest.indexOf(' ', HOST.length());
      if (end < 0) {
        throw new IllegalArgumentException("a host alone is not a pattern");
      }
      host = rest.substring(HOST.length(), end);
      rest = rest.substring(end + 1);
    }
    if (rest.startsWith(PATH)) {
      return new PurgePredicate(
          host, null, LinearRegex.of(rest.substring(PATH.length())), storedBefore);
    }
    int colon = rest.indexOf(':');
    if (!rest.startsWith(HEADER) || colon < 0) {
      throw new IllegalArgumentException(
          "a pattern matches the path, or a header field as in \"content-type: ^video/\"");
    }
    String name = rest.substring(HEADER.length(), colon).strip().toLowerCase(Locale.ROOT);
    if (!FieldSyntax.isToken(name)) {
      throw new IllegalArgumentException("\"" + name + "\" is not the name of a header field");
    }
    if (NOT_STORED.contains(name)) {
      throw new IllegalArgumentException("the field " + name + " is not stored");
    }
    return new PurgePredicate(
        host, name, LinearRegex.of(rest.substring(colon + 1).stripLeading()), storedBefore);
  }

  private static Instant time(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("not a time such as 2026-01-01T00:00:00Z: " + text, e);
    }
  }

  /** The host it is limited to, if any. */
  public @Nullable String host() {
    return host;
  }

  @Override
  public boolean matches(
      MemorySegment memory, long keyOffset, int keyLength, long headOffset, int headLength) {
    if (!isOldEnough(memory, headOffset, headLength)) {
      return false;
    }
    if (regex == null) {
      return true;
    }
    return fieldStart == null
        ? isFoundInPath(regex, KeyText.pathAndQuery(text(memory, keyOffset, keyLength)))
        : isFoundInField(regex, memory, headOffset, headLength, fieldStart);
  }

  private boolean isOldEnough(MemorySegment memory, long headOffset, int headLength) {
    if (storedBefore == null) {
      return true;
    }
    StoredMeta meta = new StoredMeta();
    return !meta.wrap(memory.asSlice(headOffset, headLength), 0)
        || Instant.ofEpochMilli(meta.responseTimeMillis()).isBefore(storedBefore);
  }

  private static boolean isFoundInPath(LinearRegex regex, String target) {
    if (target.length() > MAX_TEXT) {
      return true;
    }
    int query = target.indexOf('?');
    return regex.isFoundIn(target) || (query >= 0 && regex.isFoundIn(target.substring(0, query)));
  }

  private static boolean isFoundInField(
      LinearRegex regex, MemorySegment memory, long headOffset, int headLength, String start) {
    StoredMeta meta = new StoredMeta();
    MemorySegment head = memory.asSlice(headOffset, headLength);
    if (!meta.wrap(head, 0)) {
      return true;
    }
    String lines = "\r\n" + text(head, meta.length(), headLength - meta.length());
    for (int at = lines.indexOf(start); at >= 0; at = lines.indexOf(start, at + start.length())) {
      int from = at + start.length();
      int end = lines.indexOf("\r\n", from);
      if (end < 0 || end - from > MAX_TEXT || regex.isFoundIn(lines.substring(from, end))) {
        return true;
      }
    }
    return false;
  }

  private static String text(MemorySegment memory, long offset, int length) {
    byte[] bytes = new byte[length];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
