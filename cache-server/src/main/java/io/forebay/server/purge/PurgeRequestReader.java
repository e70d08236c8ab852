package io.forebay.server.purge;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.ResponseTags;
import io.forebay.server.purge.PurgeOrder.Reach;
import io.forebay.storage.purge.PurgeKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Interprets requests with a purge method, following the conventions of plugins of content
 * management systems. The first that applies decides:
 *
 * <pre>
 *   fields of tags       xkey, xkey-purge, xkey-softpurge, Surrogate-Key, Cache-Tag, Cache-Tags,
 *                        X-Cache-Tags, X-Drupal-Cache-Tags, Purge-Cache-Tags,
 *                        X-Magento-Tags-Pattern                       these tags, of every host
 *   X-Varnish-Purge-All                                               everything
 *   X-Url, X-Host        expressions, with BAN                        paths, of one host or all
 *   X-Ban-Regex, X-Purge-Regex                                        paths of the host
 *   a regular expression or a star in the path                        paths of the host
 *   otherwise                                                         this URL
 * </pre>
 *
 * A URL stands for every port and both schemes: plugins reach the node by another address than
 * visitors do. Where a convention cannot be followed to the letter, more is purged, never less. Any
 * thread.
 */
public final class PurgeRequestReader {

  /** Tags of one request; a plugin with more sends several. */
  static final int MAX_TAGS = 1024;

  private static final List<String> PLAIN_TAG_FIELDS =
      List.of("xkey", "xkey-purge", "surrogate-key", "cache-tag");
  private static final List<String> PATTERN_TAG_FIELDS =
      List.of(
          "cache-tags",
          "x-cache-tags",
          "x-drupal-cache-tags",
          "purge-cache-tags",
          "x-magento-tags-pattern");
  private static final String SOFT_TAG_FIELD = "xkey-softpurge";
  private static final List<String> SOFT_FIELDS =
      List.of("fastly-soft-purge", "x-magento-purge-soft");
  private static final Set<String> WHOLE_HOST =
      Set.of("/", "/.*", "/.*$", "/.+", "/(.*)", "/*", ".*", "^/", "^/.*", "^.*", ".*$", "^/.*$");

  private final RequestView request;
  private final FieldsView fields;
  private final boolean isSoft;
  private final List<PurgeOrder> orders = new ArrayList<>();

  private PurgeRequestReader(RequestView request) {
    this.request = request;
    this.fields = request.fields();
    this.isSoft = SOFT_FIELDS.stream().anyMatch(this::isSet);
  }

  /**
   * Reads a request.
   *
   * @return at least one order
   * @throws IllegalArgumentException when it names nothing that can be purged; the message tells
   *     the sender what to do
   */
  public static List<PurgeOrder> read(RequestView request) {
    PurgeRequestReader reader = new PurgeRequestReader(request);
    reader.read();
    return List.copyOf(reader.orders);
  }

  private void read() {
    if (fields.first("x-pool") != null) {
      throw new IllegalArgumentException(
          "X-Pool is not supported: purge by tag (X-Magento-Tags-Pattern), or by URL without it");
    }
    tags();
    if (!orders.isEmpty()) {
      return;
    }
    if (request.method().equals("PURGEKEYS")) {
      throw new IllegalArgumentException(
          "PURGEKEYS needs tags in xkey-purge or xkey-softpurge, separated by blanks");
    }
    if (isSet("x-varnish-purge-all")) {
      everything();
      return;
    }
    String byUrl = fields.combined("x-url");
    String byHost = fields.combined("x-host");
    if (request.method().equals("BAN") && (byUrl != null || byHost != null)) {
      matching(anchoredHost(byHost), byUrl == null ? ".*" : byUrl);
      return;
    }
    String host = AuthorityNormalizer.host(request.authority());
    String regex = fields.combined("x-ban-regex");
    regex = regex == null ? fields.combined("x-purge-regex") : regex;
    if (regex != null) {
      matching(host, regex);
    } else if (request.method().equals("BAN") || isRegexWanted()) {
      matching(host, expression());
    } else {
      path(host);
    }
  }

  // --- tags -------------------------------------------------------------------------------------

  private void tags() {
    Set<String> hard = new LinkedHashSet<>();
    for (String name : PLAIN_TAG_FIELDS) {
      List<String> lines = fields.all(name);
      hard.addAll(
          required(
              name, lines, ResponseTags.inField(name.equals("xkey-purge") ? "xkey" : name, lines)));
    }
    for (String name : PATTERN_TAG_FIELDS) {
      String pattern = fields.combined(name);
      List<String> tags = pattern == null ? List.of() : TagPattern.tags(pattern);
      if (pattern != null && TagPattern.isAll(pattern)) {
        everything();
      } else if (pattern != null && tags == null) {
        String stored = name.equals("x-magento-tags-pattern") ? "x-magento-tags" : name;
        add(PurgeKind.PATTERN, PurgePredicate.onHeader(null, stored + ": " + pattern), isSoft);
      } else {
        hard.addAll(required(name, fields.all(name), tags == null ? List.of() : tags));
      }
    }
    List<String> lines = fields.all(SOFT_TAG_FIELD);
    Set<String> soft =
        new LinkedHashSet<>(required(SOFT_TAG_FIELD, lines, ResponseTags.inField("xkey", lines)));
    if (hard.size() + soft.size() > MAX_TAGS) {
      throw new IllegalArgumentException(
          (hard.size() + soft.size())
              + " tags, at most "
              + MAX_TAGS
              + " in a request: send several requests");
    }
    hard.forEach(tag -> add(PurgeKind.TAG, tag, isSoft));
    soft.forEach(tag -> add(PurgeKind.TAG, tag, true));
  }

  private static List<String> required(String name, List<String> lines, List<String> tags) {
    if (!lines.isEmpty() && tags.isEmpty()) {
      throw new IllegalArgumentException("the field " + name + " names no tag");
    }
    return tags;
  }

  // --- paths ------------------------------------------------------------------------------------

  /** By the field of the WordPress plugins. */
  private boolean isRegexWanted() {
    String method = fields.combined("x-purge-method");
    return switch (method == null ? "" : method.strip().toLowerCase(Locale.ROOT)) {
      case "", "default", "exact" -> false;
      case "regex", "ban-regex" -> true;
      default ->
          throw new IllegalArgumentException(
              "X-Purge-Method must be default, exact, regex or ban-regex");
    };
  }

  /** One URL, or what a star in its path stands for. */
  private void path(String host) {
    String path = request.path();
    if (path.endsWith(".*")) {
      matching(host, expression());
    } else if (path.endsWith("*")) {
      String start = path.substring(0, path.length() - 1);
      matching(host, start.equals("/") ? "/" : "^" + quoted(start));
    } else {
      String url = request.scheme() + "://" + request.authority() + path;
      String query = request.query();
      orders.add(
          new PurgeOrder(
              PurgeKind.URL, query == null ? url : url + "?" + query, isSoft, Reach.ANY_PORT));
    }
  }

  /** The target as an expression; its normal form has encoded what it has no need to. */
  private String expression() {
    String query = request.query();
    String path = decoded(request.path());
    return query == null ? path : path + "\\?" + decoded(query);
  }

  private void matching(@Nullable String host, String regex) {
    if (!WHOLE_HOST.contains(regex.strip())) {
      add(PurgeKind.PATTERN, PurgePredicate.onPath(host, regex), isSoft);
    } else if (host == null) {
      everything();
    } else {
      add(PurgeKind.HOST, host, isSoft);
    }
  }

  /** The one host that an expression matches; null where there may be others. */
  private static @Nullable String anchoredHost(@Nullable String regex) {
    return regex != null && regex.matches("\\^[A-Za-z0-9-]+(\\\\\\.[A-Za-z0-9-]+)*\\$")
        ? regex.substring(1, regex.length() - 1).replace("\\.", ".").toLowerCase(Locale.ROOT)
        : null;
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isLetterOrDigit(c) && "/-_~%".indexOf(c) < 0) {
        quoted.append('\\');
      }
      quoted.append(c);
    }
    return quoted.toString();
  }

  /** With the escapes of printable characters undone, except those of a slash and a percent. */
  private static String decoded(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      int value =
          text.charAt(i) == '%' && i + 2 < text.length()
              ? Integer.parseInt(text, i + 1, i + 3, 16)
              : -1;
      if (value > ' ' && value < 0x7f && value != '/' && value != '%') {
        plain.append((char) value);
        i += 2;
      } else {
        plain.append(text.charAt(i));
      }
    }
    return plain.toString();
  }

  // --- both -------------------------------------------------------------------------------------

  private void everything() {
    add(PurgeKind.EVERYTHING, "*", isSoft);
  }

  private void add(PurgeKind kind, String text, boolean soft) {
    orders.add(new PurgeOrder(kind, text, soft));
  }

  private boolean isSet(String name) {
    String value = fields.combined(name);
    return switch (value == null ? "0" : value.strip().toLowerCase(Locale.ROOT)) {
      case "1", "true" -> true;
      case "0", "false" -> false;
      default -> throw new IllegalArgumentException("the field " + name + " must be 1 or 0");
    };
  }
}
