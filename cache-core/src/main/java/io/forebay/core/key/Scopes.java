package io.forebay.core.key;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The scopes of a response: 64-bit keyed hashes of everything by which a purge can select it. An
 * object is dead if any of its scopes is purged. The hash input starts with a byte for the kind, so
 * different kinds never collide by text:
 *
 * <pre>
 *   'u' http://example.com:80/a/b.ts?q    exact: what the keys of a URL begin with
 *   'h' example.com                       host, any port
 *   'H' example.com:80                    host and port; :* where the route tells none apart
 *   'a' example.com/a/b.ts?q              the same whatever the scheme and the port
 *   'p' example.com/a/                    path prefix: each directory, at most 16 of them
 *   'p' example.com/a/b.ts                path prefix: the full path
 *   's' http://example.com:80/a#?         whatever the query, where a response says what matters
 *   'S' example.com/a                     the same whatever the scheme and the port
 *   't' tag                               tag
 *   'g' http://example.com:80 group       group of an origin (RFC 9875)
 *   'o'                                   overflow: had more tags than are kept
 * </pre>
 *
 * Host and prefix scopes do not say the scheme: such purges hit http and https alike. Belongs to
 * one thread.
 */
public final class Scopes {

  /** Directories of a path that have a scope; a purge of a deeper one kills the sixteenth. */
  public static final int MAX_PATH_LEVELS = 16;

  /** The most scopes a response can have. */
  public static final int MAX_SCOPES =
      1 + 1 + 2 + 1 + MAX_PATH_LEVELS + 1 + ResponseTags.MAX_TAGS + CacheGroups.MAX_GROUPS + 1;

  /** Of the URL, here and anywhere, its host in two ways, its whole path, and too many tags. */
  private static final int FIXED_SCOPES = 6;

  private static final String ANY_PORT = ":*";

  private final SipHash128 hash;
  private final KeyBuilder keys;

  /** What is hashed: the kind, then the text so far. */
  private byte[] text = new byte[512];

  private int length;

  /**
   * @param secret the 16 bytes of the store's secret
   */
  public Scopes(byte[] secret) {
    hash = new SipHash128(secret);
    keys = new KeyBuilder(secret);
  }

  /**
   * All scopes of a response to this request.
   *
   * @throws IllegalArgumentException when the request's key is too long to be cached
   */
  public long[] ofResponse(RequestView request, KeyRecipe recipe, ResponseTags tags) {
    TargetUri uri = recipe.url().canonical(TargetUri.of(request));
    String authority = uri.authority();
    String path = uri.path();
    int directories = directories(path);
    long[] scopes =
        new long[FIXED_SCOPES + directories + tags.values().size() + tags.groups().size()];
    int count = 0;
    scopes[count++] = exact(uri, recipe);
    // What follows hashes one text to where each scope of it ends.
    int hostLength = AuthorityNormalizer.hostLength(authority);
    begin();
    append(authority, 0, hostLength);
    scopes[count++] = hash('h', length);
    int portAt = length;
    if (!hasPortOfItsOwn(authority, recipe.url())) {
      append(ANY_PORT);
    } else if (hostLength == authority.length()) {
      append(defaultPort(uri));
    } else {
      append(authority, hostLength, authority.length());
    }
    scopes[count++] = hash('H', length);
    length = portAt;
    append(path);
    if (uri.query() != null) {
      append("?");
      append(uri.query());
    }
    scopes[count++] = hash('a', length);
    length = portAt;
    append(authority, hostLength, authority.length());
    int pathAt = length;
    append(path);
    int levels = 0;
    for (int i = 0; levels < directories; i++) {
      if (path.charAt(i) == '/') {
        scopes[count++] = hash('p', pathAt + i + 1);
        levels++;
      }
    }
    if (path.charAt(path.length() - 1) != '/') {
      scopes[count++] = hash('p', length);
    }
    for (String tag : tags.values()) {
      scopes[count++] = tag(tag);
    }
    for (String group : tags.groups()) {
      scopes[count++] = group(uri, group);
    }
    if (tags.isOverflow()) {
      scopes[count++] = tagOverflow();
    }
    return Arrays.copyOf(scopes, count);
  }

  /**
   * The scope of one URI, as the route that serves it makes the key: of all keys that begin with
   * it.
   *
   * @throws IllegalArgumentException when the key is too long to be cached
   */
  public long exact(TargetUri uri, KeyRecipe recipe) {
    if (!keys.buildUrl(uri, recipe)) {
      throw new IllegalArgumentException("key longer than " + KeyBuilder.MAX_LENGTH + " bytes");
    }
    return hash('u', keys.text(), keys.urlLength());
  }

  /**
   * The scope of all responses for a path that say what of a query matters: a purge of a URL must
   * kill what is served for it, whichever of them that is.
   *
   * @throws IllegalArgumentException when the key is too long to be cached
   */
  public long search(TargetUri uri, KeyRecipe recipe) {
    if (!keys.buildSearchRule(uri, recipe)) {
      throw new IllegalArgumentException("key longer than " + KeyBuilder.MAX_LENGTH + " bytes");
    }
    return hash('s', keys.text(), keys.textLength());
  }

  /** The same scopes, and those of the path behind them. */
  public long[] withSearch(long[] scopes, RequestView request, KeyRecipe recipe) {
    long[] all = Arrays.copyOf(scopes, scopes.length + 2);
    TargetUri uri = recipe.url().canonical(TargetUri.of(request));
    all[scopes.length] = search(uri, recipe);
    all[scopes.length + 1] = searchAnywhere(uri, recipe.url());
    return all;
  }

  /**
   * The scope of a URI on every port and with either scheme. Responses that were stored before
   * there was this scope lack it.
   */
  public long anywhere(TargetUri uri, UrlRecipe recipe) {
    TargetUri canonical = recipe.canonical(uri);
    String path = AuthorityNormalizer.host(canonical.authority()) + canonical.path();
    return hash('a', canonical.query() == null ? path : path + "?" + canonical.query());
  }

  /** The same of all responses for a path that say what of a query matters. */
  public long searchAnywhere(TargetUri uri, UrlRecipe recipe) {
    TargetUri canonical = recipe.canonical(uri);
    return hash('S', AuthorityNormalizer.host(canonical.authority()) + canonical.path());
  }

  /**
   * The scopes of a URL under the default recipe: one, or two (http and https) when it has no
   * scheme.
   *
   * @throws IllegalArgumentException when no request can be for it
   */
  public long[] exact(String url) {
    List<TargetUri> targets = parse(url).targets();
    long[] scopes = new long[targets.size()];
    for (int i = 0; i < scopes.length; i++) {
      scopes[i] = exact(targets.get(i), KeyRecipe.DEFAULT);
    }
    return scopes;
  }

  /**
   * The scope of a host: with a port only what was asked for at that port, without one every port.
   *
   * @throws IllegalArgumentException when it is not a host
   */
  public long host(String host) {
    String normal = normalHost(host);
    boolean hasPort = AuthorityNormalizer.hostLength(normal) < normal.length();
    return hash(hasPort ? 'H' : 'h', normal);
  }

  /**
   * The scopes that a purge of this host has to kill under such a recipe, including objects stored
   * under the recipe's fixed host name, which other hosts may share.
   *
   * @throws IllegalArgumentException when it is not a host
   */
  public long[] host(String host, UrlRecipe recipe) {
    List<Long> scopes = new ArrayList<>(4);
    add(scopes, host(host));
    String normal = normalHost(host);
    String name = recipe.host() == null ? AuthorityNormalizer.host(normal) : recipe.host();
    String port = normal.substring(AuthorityNormalizer.hostLength(normal));
    if (port.isEmpty()) {
      add(scopes, hash('h', name));
    } else {
      add(scopes, hash('H', name + port));
      if (!recipe.hasPort() || !recipe.hasScheme()) {
        add(scopes, hash('H', anyPort(name)));
      }
    }
    return longs(scopes);
  }

  /**
   * The scopes of everything below a URL, whatever its scheme. {@code host/a/b} is the path {@code
   * /a/b} itself and what is below {@code /a/b/}, not {@code /a/bc}; {@code host/a/b/} is only what
   * is below. Of a prefix deeper than {@link #MAX_PATH_LEVELS} directories the sixteenth is killed:
   * more than asked for, never less. A query is ignored.
   *
   * @throws IllegalArgumentException when no request can be for it
   */
  public long[] prefix(String url) {
    return prefix(url, UrlRecipe.WHOLE);
  }

  /** The same where such a recipe is in force. */
  public long[] prefix(String url, UrlRecipe recipe) {
    List<Long> scopes = new ArrayList<>(4);
    for (TargetUri target : parse(url).targets()) {
      TargetUri uri = recipe.canonical(target);
      String authority = uri.authority();
      String path = uri.path();
      if (path.charAt(path.length() - 1) != '/') {
        add(scopes, hash('p', authority + path));
        path += "/";
      }
      add(scopes, hash('p', authority + truncated(path)));
    }
    return longs(scopes);
  }

  /** The scope of a tag; a purge by tag has to kill {@link #tagOverflow()} as well. */
  public long tag(String tag) {
    return hash('t', tag);
  }

  /** The scope of a group of the origin that this URI is of. */
  public long group(TargetUri uri, String group) {
    return hash('g', uri.scheme() + "://" + withPort(uri) + " " + group);
  }

  /** The scope of responses that had more or longer tags than are kept. */
  public long tagOverflow() {
    return hash('o', "");
  }

  /** All that a purge of this tag has to kill. */
  public long[] tagPurge(String tag) {
    return new long[] {tag(tag), tagOverflow()};
  }

  private static void add(List<Long> scopes, long scope) {
    if (!scopes.contains(scope)) {
      scopes.add(scope);
    }
  }

  /** Directories of a path that have a scope. */
  private static int directories(String path) {
    int count = 0;
    for (int i = 0; i < path.length() && count < MAX_PATH_LEVELS; i++) {
      count += path.charAt(i) == '/' ? 1 : 0;
    }
    return count;
  }

  private static String truncated(String directory) {
    int levels = 0;
    for (int i = 0; i < directory.length(); i++) {
      if (directory.charAt(i) == '/' && ++levels == MAX_PATH_LEVELS) {
        return directory.substring(0, i + 1);
      }
    }
    return directory;
  }

  private static PurgeUrl parse(String url) {
    PurgeUrl parsed = PurgeUrl.parse(url);
    if (parsed == null) {
      throw new IllegalArgumentException("not a URL that can be requested here: " + url);
    }
    return parsed;
  }

  private static String normalHost(String host) {
    // A default port that is written out is meant, so it is normalised by the other scheme.
    String normal = AuthorityNormalizer.normalize(host, host.endsWith(":80") ? "https" : "http");
    if (normal == null) {
      throw new IllegalArgumentException("not a host: " + host);
    }
    return normal;
  }

  private static long[] longs(List<Long> scopes) {
    return scopes.stream().mapToLong(Long::longValue).toArray();
  }

  private static boolean hasPortOfItsOwn(String authority, UrlRecipe recipe) {
    boolean isNamed = AuthorityNormalizer.hostLength(authority) < authority.length();
    return recipe.hasPort() && (recipe.hasScheme() || isNamed);
  }

  private static String withPort(TargetUri uri) {
    String authority = uri.authority();
    return AuthorityNormalizer.hostLength(authority) < authority.length()
        ? authority
        : authority + defaultPort(uri);
  }

  private static String defaultPort(TargetUri uri) {
    return uri.scheme().equals("https") ? ":443" : ":80";
  }

  /** Of what is kept for several ports. */
  private static String anyPort(String authority) {
    return AuthorityNormalizer.host(authority) + ANY_PORT;
  }

  private long hash(char kind, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return hash(kind, bytes, bytes.length);
  }

  private long hash(char kind, byte[] bytes, int count) {
    begin();
    ensure(count);
    System.arraycopy(bytes, 0, text, length, count);
    length += count;
    return hash(kind, length);
  }

  /** The text up to there, as one of a kind. */
  private long hash(char kind, int to) {
    text[0] = (byte) kind;
    return hash.hash64(text, 0, to);
  }

  private void begin() {
    length = 1;
  }

  private void append(String ascii) {
    append(ascii, 0, ascii.length());
  }

  /** A host and a target in normal form have no bytes beyond ASCII. */
  @SuppressWarnings("deprecation")
  private void append(String ascii, int from, int to) {
    ensure(to - from);
    ascii.getBytes(from, to, text, length);
    length += to - from;
  }

  private void ensure(int count) {
    if (count > text.length - length) {
      text = Arrays.copyOf(text, 2 * (length + count));
    }
  }
}
