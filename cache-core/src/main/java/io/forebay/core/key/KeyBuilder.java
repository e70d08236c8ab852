package io.forebay.core.key;

import io.forebay.core.http.AcceptEncoding;
import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the key of a request: a printable canonical text and its 128-bit keyed hash. One instance
 * a loop, used again for every request; a hit makes it allocate nothing.
 *
 * <pre>
 *   http://example.com:80/path?query#extra accept-encoding="br, gzip" accept-language
 *   └──────────── base key ──────────────┘└──────────── variant ────────────────────┘
 * </pre>
 *
 * The port is always written. A target in normal form holds neither {@code #} nor a blank, so the
 * parts cannot run into each other. A selecting field that the request lacks stands without a
 * value, which is not the same as an empty one. Quotes and backslashes inside a value are escaped.
 */
public final class KeyBuilder {

  /** The longest key text; what is longer is not cached. */
  public static final int MAX_LENGTH = 16 * 1024;

  private final SipHash128 hash;
  private final FieldCollector collector = new FieldCollector();
  private byte[] text = new byte[512];
  private int length;
  private int baseLength;
  private boolean isTooLong;

  /**
   * @param secret the 16 bytes of the store's secret
   */
  public KeyBuilder(byte[] secret) {
    hash = new SipHash128(secret);
  }

  /** Builds the base key; false when it is too long, and then the request is to be passed. */
  public boolean build(RequestView request, KeyRecipe recipe) {
    return build(request.scheme(), request.authority(), request.path(), request.query(), recipe);
  }

  /** Builds the base key of the object that a GET of this URI would ask for. */
  public boolean build(TargetUri uri, KeyRecipe recipe) {
    return build(uri.scheme(), uri.authority(), uri.path(), uri.query(), recipe);
  }

  private boolean build(
      String scheme, String authority, String path, @Nullable String query, KeyRecipe recipe) {
    length = 0;
    isTooLong = false;
    append(scheme);
    append("://");
    append(authority);
    if (AuthorityNormalizer.hostLength(authority) == authority.length()) {
      append(scheme.equals("https") ? ":443" : ":80");
    }
    append(path);
    if (query != null && recipe.includeQuery()) {
      append('?');
      append(query);
    }
    if (!recipe.extra().isEmpty()) {
      append('#');
      append(recipe.extra());
    }
    baseLength = isTooLong ? 0 : length;
    return finish();
  }

  /**
   * Turns the base key built last into the key of the variant that this request selects (RFC 9111
   * §4.1); false when it becomes too long. Can be called again with other fields.
   *
   * @param selectingFields lower-case names in the order of the vary marker
   */
  public boolean variant(RequestView request, List<String> selectingFields) {
    length = baseLength;
    isTooLong = false;
    for (int i = 0; i < selectingFields.size(); i++) {
      String name = selectingFields.get(i);
      append(' ');
      append(name);
      collector.collect(request, name);
    }
    return finish();
  }

  private boolean finish() {
    if (isTooLong) {
      length = 0;
      return false;
    }
    hash.hash(text, 0, length);
    return true;
  }

  /** The key text in its first {@link #textLength()} bytes; overwritten by the next key. */
  public byte[] text() {
    return text;
  }

  public int textLength() {
    return length;
  }

  /** Length of the base key's text, also while a variant's is built. */
  public int baseLength() {
    return baseLength;
  }

  public long hi() {
    return hash.hi();
  }

  public long lo() {
    return hash.lo();
  }

  /** The key text as it is shown to people. */
  @Override
  public String toString() {
    return new String(text, 0, length, StandardCharsets.ISO_8859_1);
  }

  private void append(char c) {
    if (ensure(1)) {
      text[length++] = (byte) c;
    }
  }

  /** For ASCII text: the method copies the low byte of each character, without an encoder. */
  @SuppressWarnings("deprecation")
  private void append(String ascii) {
    int count = ascii.length();
    if (ensure(count)) {
      ascii.getBytes(0, count, text, length);
      length += count;
    }
  }

  private boolean ensure(int count) {
    if (count > MAX_LENGTH - length) {
      isTooLong = true;
    }
    if (isTooLong) {
      return false;
    }
    if (count > text.length - length) {
      text = Arrays.copyOf(text, Math.min(MAX_LENGTH, Math.max(2 * text.length, length + count)));
    }
    return true;
  }

  /**
   * Appends the values of one field. Visits the fields instead of asking for a list of lines,
   * because the list would have to be allocated.
   */
  private final class FieldCollector implements BiConsumer<CharSequence, CharSequence> {
    private String wanted = "";
    private boolean isEncoding;
    private int lines;
    private int encodings;

    void collect(RequestView request, String name) {
      wanted = name;
      isEncoding = name.equals("accept-encoding");
      lines = 0;
      encodings = 0;
      request.fields().forEach(this);
      if (isEncoding) {
        append("=\"");
        append(AcceptEncoding.value(AcceptEncoding.classOfSeen(encodings)));
        append('"');
      } else if (lines > 0) {
        append('"');
      }
    }

    @Override
    public void accept(CharSequence name, CharSequence value) {
      if (!FieldSyntax.equalsIgnoreCase(name, wanted)) {
        return;
      }
      if (isEncoding) {
        encodings = AcceptEncoding.add(encodings, value);
        return;
      }
      append(lines == 0 ? "=\"" : ", ");
      lines++;
      appendFolded(value);
    }

    /** Runs of blanks and tabs become one blank (RFC 9111 §4.1 allows it). */
    private void appendFolded(CharSequence value) {
      boolean isBlankDue = false;
      boolean isBegun = false;
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        if (FieldSyntax.isWhitespace(c)) {
          isBlankDue = isBegun;
          continue;
        }
        if (isBlankDue) {
          append(' ');
          isBlankDue = false;
        }
        isBegun = true;
        if (c == '"' || c == '\\') {
          append('\\');
        }
        append(c);
      }
    }
  }
}
