package io.forebay.core.key;

import io.forebay.core.http.AcceptClasses;
import io.forebay.core.http.AcceptEncoding;
import io.forebay.core.http.AcceptLanguage;
import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.Latin1Text;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds the cache key of a request: a printable canonical text and its 128-bit keyed hash. One
 * reusable instance per event loop; it allocates nothing for a hit.
 *
 * <pre>
 *   http://example.com:80/path?query#d=mobile;c:kind="a" accept-encoding="br, gzip" x-color
 *   └──────────── URL ──────────────┘└── fields ───────┘└──────────── variant ────────────┘
 *   └──────────────────── base key ────────────────────┘
 * </pre>
 *
 * The port is always written where the route tells ports apart, and else never; the scheme is left
 * out where it does not count. A target in normal form holds neither {@code #} nor a blank, so the
 * parts cannot run into each other. What the route adds of the request's header stands in a fixed
 * order, with a semicolon between:
 *
 * <pre>
 *   n=s-utm_x        the query is reduced by a rule of No-Vary-Search
 *   b=0123456789ab   what the digest of a QUERY's content is
 *   g=split.group    the group of a client; nothing for the last group of a split
 *   h:name="value"   a field          h:name   a field that the request lacks
 *   c:name="value"   a cookie, as often as it is there; c:name where it is not
 *   d=mobile         the device class
 *   l=de             the language
 * </pre>
 *
 * A coded copy of a response has the text of that one, and behind it {@code :br9.1}: no field's
 * name begins with a colon.
 *
 * <p>A selecting field that the request lacks stands without a value, which is not the same as an
 * empty one. Quotes and backslashes inside a value are escaped, and no name has a quote, a blank, a
 * semicolon or an equals sign. So no two requests that an origin could tell apart have one text.
 */
public final class KeyBuilder {

  /** The longest key text; what is longer is not cached. */
  public static final int MAX_LENGTH = 16 * 1024;

  private final SipHash128 hash;
  private final FieldCollector collector = new FieldCollector();
  private final CookieCollector cookies = new CookieCollector();
  private final AcceptLanguage languages = new AcceptLanguage();
  private final QueryParameters parameters = new QueryParameters();
  private byte[] text = new byte[512];
  private int length;
  private int urlLength;
  private int baseLength;
  private int uncodedLength;
  private boolean isTooLong;

  /** Of the recipe of the base key built last. */
  private AcceptClasses accept = AcceptClasses.NONE;

  /**
   * @param secret the 16 bytes of the store's secret
   */
  public KeyBuilder(byte[] secret) {
    hash = new SipHash128(secret);
  }

  /** Builds the base key; false if it is too long, and then the request is passed. */
  public boolean build(RequestView request, KeyRecipe recipe) {
    return build(request, recipe, null);
  }

  /**
   * Builds the base key of a response that says what of a query matters; null for one that does
   * not.
   */
  public boolean build(RequestView request, KeyRecipe recipe, @Nullable NoVarySearch rule) {
    CharSequence asked = rule == null ? request.queryText() : null;
    appendUrl(request.scheme(), request.authority(), request.pathText(), asked, recipe);
    int start = length;
    if (rule != null) {
      // As it is: what was reduced may look like what the recipe leaves out, and is not.
      String reduced = rule.reduced(recipe.url().query().canonical(request.query()));
      if (reduced != null) {
        append('?');
        append(reduced);
      }
      start = length;
      separate(start);
      append("n=");
      append(rule.text());
    }
    String content = request.contentDigest();
    if (content != null) {
      separate(start);
      append("b=");
      append(content);
    }
    if (!recipe.groups().isEmpty()) {
      separate(start);
      append(recipe.groups());
    }
    if (recipe.hasFields()) {
      appendFields(request.fields(), recipe.fields(), start);
    }
    baseLength = isTooLong ? 0 : length;
    return finish();
  }

  /**
   * Builds the key under which a rule stands that responses for a path, whatever the query, gave
   * last.
   */
  public boolean buildSearchRule(TargetUri uri, KeyRecipe recipe) {
    appendUrl(uri.scheme(), uri.authority(), uri.path(), null, recipe);
    append("#?");
    baseLength = isTooLong ? 0 : length;
    return finish();
  }

  /**
   * Builds the key of a URI. Where the recipe has nothing of a request's header this is the base
   * key of a GET; else it is what all base keys for the URI begin with.
   */
  public boolean build(TargetUri uri, KeyRecipe recipe) {
    appendUrl(uri.scheme(), uri.authority(), uri.path(), uri.query(), recipe);
    baseLength = isTooLong ? 0 : length;
    return finish();
  }

  /** Builds what all keys of a URI begin with, without its hash; false if it is too long. */
  boolean buildUrl(TargetUri uri, KeyRecipe recipe) {
    appendUrl(uri.scheme(), uri.authority(), uri.path(), uri.query(), recipe);
    return !isTooLong;
  }

  private void appendUrl(
      String scheme,
      String authority,
      CharSequence path,
      @Nullable CharSequence query,
      KeyRecipe recipe) {
    length = 0;
    isTooLong = false;
    accept = recipe.fields().accept();
    if (recipe.isUrlWhole()) {
      append(scheme);
      append("://");
      append(authority);
      if (AuthorityNormalizer.hostLength(authority) == authority.length()) {
        append(scheme.equals("https") ? ":443" : ":80");
      }
      append(path);
      if (query != null) {
        append('?');
        append(query);
      }
    } else {
      appendUrl(scheme, authority, path, query, recipe.url());
    }
    urlLength = isTooLong ? 0 : length;
  }

  private void appendUrl(
      String scheme,
      String authority,
      CharSequence path,
      @Nullable CharSequence query,
      UrlRecipe recipe) {
    if (recipe.hasScheme()) {
      append(scheme);
    }
    append("://");
    int hostLength = AuthorityNormalizer.hostLength(authority);
    String host = recipe.host();
    if (host != null) {
      append(host);
    } else {
      append(authority, 0, hostLength);
    }
    if (recipe.hasPort()) {
      append(authority, hostLength, authority.length());
      if (recipe.hasScheme() && hostLength == authority.length()) {
        append(scheme.equals("https") ? ":443" : ":80");
      }
    }
    if (recipe.isFolded()) {
      appendFolded(path);
    } else {
      append(path);
    }
    if (query == null || recipe.query().isIgnored()) {
      return;
    }
    if (recipe.query().isAsReceived()) {
      append('?');
      append(query);
      return;
    }
    parameters.select(query, recipe.query());
    for (int i = 0; i < parameters.count(); i++) {
      append(i == 0 ? '?' : '&');
      append(query, parameters.from(i), parameters.to(i));
    }
  }

  /** In a percent-encoding the digits stay as they are: upper case is their normal form. */
  private void appendFolded(CharSequence path) {
    int digits = 0;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      append(digits > 0 ? c : UrlRecipe.lower(c));
      digits = c == '%' ? 2 : Math.max(0, digits - 1);
    }
  }

  private void appendFields(FieldsView fields, FieldRecipe recipe, int start) {
    for (int i = 0; i < recipe.headers().size(); i++) {
      separate(start);
      append("h:");
      append(recipe.headers().get(i));
      collector.collect(fields, recipe.headers().get(i));
    }
    for (int i = 0; i < recipe.cookies().size(); i++) {
      cookies.collect(fields, recipe.cookies().get(i), start);
    }
    if (recipe.hasDevice()) {
      separate(start);
      append("d=");
      append(DeviceClass.of(fields).label());
    }
    if (!recipe.languages().isEmpty()) {
      separate(start);
      append("l=");
      collector.readLanguages(fields);
      append(recipe.languages().get(languages.lookup(recipe.languages())));
    }
  }

  private void separate(int start) {
    append(length == start ? '#' : ';');
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
      collector.collectSelecting(request.fields(), name);
    }
    return finish();
  }

  /**
   * Turns the base key built last into the key of a response that does not vary, where it stands
   * beside some that do; false when it becomes too long. No field has a star for its name here.
   */
  public boolean unvaried() {
    length = baseLength;
    isTooLong = false;
    append(" *");
    return finish();
  }

  /**
   * Turns the key built last into that of a coded copy of its response; false when it becomes too
   * long. {@link #uncoded} goes back.
   *
   * @param coding the coding and how it was made, ASCII without blanks and quotes
   */
  public boolean coded(byte[] coding) {
    uncodedLength = length;
    append(' ');
    append(':');
    append(coding, coding.length);
    return finish();
  }

  /** How much longer {@link #coded} makes a key's text. */
  public static int codedLength(byte[] coding) {
    return coding.length + 2;
  }

  /** Turns the key of a coded copy back into that of the response that it is of. */
  public void uncoded() {
    length = uncodedLength;
    isTooLong = false;
    boolean isBuilt = finish();
    assert isBuilt;
  }

  /**
   * Turns the base key built last into one that stands for an origin in place of a URL: path and
   * query are left out, what the key has of the request's header is not; false when it becomes too
   * long. It looks like the key of a coded copy.
   *
   * @param name ASCII without blanks and quotes
   */
  public boolean ofOrigin(String scheme, String authority, byte[] name) {
    byte[] fields = Arrays.copyOfRange(text, urlLength, baseLength);
    appendUrl(scheme, authority, "/", null, KeyRecipe.DEFAULT);
    append(fields, fields.length);
    baseLength = isTooLong ? 0 : length;
    return coded(name);
  }

  /** Takes a whole key text that was built before; false if it is too long. */
  public boolean take(byte[] keyText) {
    length = 0;
    isTooLong = false;
    append(keyText, keyText.length);
    urlLength = 0;
    baseLength = 0;
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

  /** Length of the URL's text, also behind it and while a variant's is built. */
  public int urlLength() {
    return urlLength;
  }

  /** Length of the text without what {@link #coded} has added to it. */
  public int uncodedLength() {
    return uncodedLength;
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

  private void append(CharSequence ascii) {
    append(ascii, 0, ascii.length());
  }

  /** For ASCII text: the low byte of each character is copied, without an encoder. */
  @SuppressWarnings("deprecation")
  private void append(CharSequence ascii, int from, int to) {
    if (!ensure(to - from)) {
      return;
    }
    switch (ascii) {
      case String string -> string.getBytes(from, to, text, length);
      case Latin1Text bytes -> bytes.copyTo(text, length, from, to);
      default -> {
        for (int i = from; i < to; i++) {
          text[length + i - from] = (byte) ascii.charAt(i);
        }
      }
    }
    length += to - from;
  }

  private void append(byte[] bytes, int count) {
    if (ensure(count)) {
      System.arraycopy(bytes, 0, text, length, count);
      length += count;
    }
  }

  /**
   * Runs of blanks and tabs become one blank (RFC 9111 §4.1 allows it).
   *
   * @param isList whether there may be any, or none, around a comma that is not quoted (RFC 9110
   *     §5.6.1)
   */
  private void appendEscaped(CharSequence value, boolean isList) {
    boolean isBlankDue = false;
    boolean isBegun = false;
    boolean isQuoted = false;
    boolean isEscaped = false;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (FieldSyntax.isWhitespace(c)) {
        isBlankDue = isBegun;
        isEscaped = false;
        continue;
      }
      boolean isComma = isList && !isQuoted && c == ',';
      if (isBlankDue && !isComma) {
        append(' ');
      }
      isBlankDue = false;
      isBegun = !isComma;
      appendEscaped(c);
      isQuoted ^= c == '"' && !isEscaped;
      isEscaped = isQuoted && c == '\\' && !isEscaped;
    }
  }

  private void appendEscaped(char c) {
    if (c == '"' || c == '\\') {
      append('\\');
    }
    append(c);
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
    private static final int PLAIN = 0;
    private static final int ENCODING = 1;
    private static final int LANGUAGE = 2;
    private static final int ACCEPT = 3;

    private String wanted = "";
    private int kind;
    private boolean isList;
    private int lines;
    private int start;

    /** What lines of Accept-Encoding, or of Accept, have come to. */
    private int seen;

    /** The value of a field that a response varies by: as that of a list, unless it is known. */
    void collectSelecting(FieldsView fields, String name) {
      isList = !name.equals("authorization");
      collect(fields, name);
      isList = false;
    }

    void collect(FieldsView fields, String name) {
      begin(name);
      fields.forEach(this);
      if (kind == ENCODING) {
        append("=\"");
        append(AcceptEncoding.value(AcceptEncoding.classOfSeen(seen)));
        append('"');
      } else if (kind == ACCEPT) {
        append("=\"");
        append(accept.value(accept.classOfSeen(seen)));
        append('"');
      } else if (kind == LANGUAGE) {
        languages.end();
        // Junk alone is not sent on: to the origin it is the same as no field.
        if (languages.length() > 0) {
          append("=\"");
          append(languages.text(), languages.length());
          append('"');
        }
      } else if (lines > 0) {
        append('"');
      }
    }

    void readLanguages(FieldsView fields) {
      begin("accept-language");
      fields.forEach(this);
      languages.end();
    }

    private void begin(String name) {
      wanted = name;
      lines = 0;
      seen = 0;
      kind =
          switch (name) {
            case "accept-encoding" -> ENCODING;
            case "accept-language" -> LANGUAGE;
            case "accept" -> accept.isEmpty() ? PLAIN : ACCEPT;
            default -> PLAIN;
          };
      if (kind == LANGUAGE) {
        languages.begin();
      }
    }

    @Override
    public void accept(CharSequence name, CharSequence value) {
      if (!FieldSyntax.equalsIgnoreCase(name, wanted)) {
        return;
      }
      switch (kind) {
        case ENCODING -> seen = AcceptEncoding.add(seen, value);
        case ACCEPT -> seen = accept.add(seen, value);
        case LANGUAGE -> languages.add(value);
        default -> {
          if (lines++ == 0) {
            append("=\"");
            start = length;
          } else if (length > start && !value.isEmpty()) {
            append(isList ? "," : ", ");
          }
          appendEscaped(value, isList);
        }
      }
    }
  }

  /** Appends the values of one cookie, all there are. */
  private final class CookieCollector
      implements BiConsumer<CharSequence, CharSequence>, Cookies.Visitor {
    private String wanted = "";
    private int start;
    private boolean isFound;

    void collect(FieldsView fields, String name, int fieldsStart) {
      wanted = name;
      start = fieldsStart;
      isFound = false;
      fields.forEach(this);
      if (!isFound) {
        // Else it would be the text of a recipe that lets all cookies through.
        separate(start);
        append("c:");
        append(name);
      }
    }

    @Override
    public void accept(CharSequence name, CharSequence value) {
      if (FieldSyntax.equalsIgnoreCase(name, "cookie")) {
        Cookies.visitLine(value, this);
      }
    }

    @Override
    public void accept(CharSequence line, int from, int equals, int to) {
      if (Cookies.isNamed(line, from, equals, wanted)) {
        isFound = true;
        separate(start);
        append("c:");
        append(wanted);
        append("=\"");
        for (int i = equals + 1; i < to; i++) {
          // Blanks count in a cookie.
          appendEscaped(line.charAt(i));
        }
        append('"');
      }
    }
  }
}
