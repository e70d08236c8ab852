package io.forebay.server.config;

import io.forebay.core.http.FieldSyntax;
import io.forebay.server.page.ErrorPages;
import io.forebay.server.page.PageTemplate;
import io.forebay.server.page.StatusPage;
import io.forebay.server.rule.CorsPolicy;
import io.forebay.server.rule.RoutePresets;
import io.forebay.server.rule.SecurityHeaders;
import io.forebay.server.text.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Compiles what a route says of all its responses: error pages, CORS, security headers. */
final class PresetBinder {
  private static final int MAX_PAGES = 64;
  private static final int MAX_ORIGINS = 1000;
  private static final int MAX_NAMES = 100;
  private static final List<String> PAGE_KEYS =
      List.of("text", "file", "type", "json", "json-file", "from");
  private static final List<String> CORS_KEYS =
      List.of("origins", "methods", "request-headers", "expose-headers", "max-age", "credentials");
  private static final List<String> DEFAULT_METHODS = List.of("GET", "HEAD", "POST");
  private static final Pattern STATUSES =
      Pattern.compile("([45])xx|([45]\\d\\d)(?:-([45]\\d\\d))?");
  private static final Pattern ORIGIN =
      Pattern.compile("([a-z][a-z0-9+.-]*)://(\\*\\.)?([a-z0-9._-]+|\\[[0-9a-f:.]+])(:\\d{1,5})?");

  private final ConfigValues values;
  private final TreeReader reader;
  private final BodyReader bodies;

  PresetBinder(ConfigValues values, TreeReader reader) {
    this.values = values;
    this.reader = reader;
    this.bodies = new BodyReader(reader, values.files());
  }

  /** Those of the route whose keys begin with {@code scope}. */
  RoutePresets ofRoute(String scope) {
    String pagesPath = scope + "." + ConfigKeys.ROUTE_ERROR_PAGES.name();
    String corsPath = scope + "." + ConfigKeys.ROUTE_CORS.name();
    String headersPath = scope + "." + ConfigKeys.ROUTE_SECURITY_HEADERS.name();
    ConfigTree cors = values.tree(corsPath);
    ConfigTree headers = values.tree(headersPath);
    return new RoutePresets(
        errorPages(pagesPath),
        cors == null ? null : cors(corsPath, cors),
        headers == null ? SecurityHeaders.NONE : securityHeaders(headersPath, headers));
  }

  // --- error pages ------------------------------------------------------------------------------

  /** The pages of all routes, by what stands for their statuses. */
  ErrorPages defaultPages(Map<String, ConfigTree> trees) {
    List<Bound> bound = new ArrayList<>();
    trees.forEach((key, tree) -> bind("error-pages." + key, key, tree.place(), tree, bound));
    return bound.isEmpty() ? ErrorPages.NONE : pages(bound, "default");
  }

  /** The pages of a route, none where the key is not given. */
  private ErrorPages errorPages(String path) {
    ConfigTree tree = values.tree(path);
    Map<String, ConfigTree.Entry> entries = tree == null ? null : reader.entries(path, tree);
    if (tree == null || entries == null) {
      return ErrorPages.NONE;
    }
    if (entries.isEmpty() || entries.size() > MAX_PAGES) {
      reader.problem(
          tree.place(),
          path,
          entries.isEmpty() ? "names no page" : entries.size() + " pages",
          entries.isEmpty()
              ? "write statuses and their pages, such as 404: {text: ...}"
              : "use at most " + MAX_PAGES);
      return ErrorPages.NONE;
    }
    List<Bound> bound = new ArrayList<>();
    for (ConfigTree.Entry entry : entries.values()) {
      bind(path + "." + entry.key(), entry.key(), entry.place(), entry.value(), bound);
    }
    return pages(bound, TreeText.of(tree));
  }

  private void bind(
      String path, String key, SourceLocation place, ConfigTree tree, List<Bound> into) {
    Matcher matcher = STATUSES.matcher(key);
    Bound statuses = matcher.matches() ? statuses(matcher) : null;
    if (statuses == null || statuses.first > statuses.last) {
      reader.problem(
          place, path, "not a status of an error", "write statuses such as 404, 502-504 or 5xx");
      return;
    }
    if (into.stream().anyMatch(statuses::isBeside)) {
      reader.problem(place, path, "has statuses of another page as well", "give each one page");
    }
    StatusPage page = page(path, tree);
    if (page != null) {
      into.add(new Bound(statuses.first, statuses.last, page));
    }
  }

  private static ErrorPages pages(List<Bound> bound, String text) {
    // The page for fewer statuses takes precedence.
    bound.sort(Comparator.comparingInt(Bound::width).reversed());
    ErrorPages.Builder pages = new ErrorPages.Builder();
    for (Bound each : bound) {
      if (each.page != null) {
        pages.put(each.first, each.last, each.page);
      }
    }
    return pages.build(text);
  }

  /** A page and its statuses, both ends inclusive. */
  private record Bound(int first, int last, @Nullable StatusPage page) {
    int width() {
      return last - first;
    }

    /** Whether neither takes precedence for a status of both. */
    boolean isBeside(Bound other) {
      return width() == other.width() && first <= other.last && other.first <= last;
    }
  }

  private static Bound statuses(Matcher matcher) {
    String ofClass = matcher.group(1);
    if (ofClass != null) {
      int first = Integer.parseInt(ofClass) * 100;
      return new Bound(first, first + 99, null);
    }
    int first = Integer.parseInt(Objects.requireNonNull(matcher.group(2)));
    String end = matcher.group(3);
    return new Bound(first, end == null ? first : Integer.parseInt(end), null);
  }

  private @Nullable StatusPage page(String path, ConfigTree tree) {
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, PAGE_KEYS);
    if (entries == null) {
      return null;
    }
    ConfigTree.Entry text = entries.get("text");
    ConfigTree.Entry file = entries.get("file");
    if (text == null && file == null) {
      reader.problem(tree.place(), path, "has no text and no file", "write one of them");
      return null;
    }
    ConfigTree.Entry ofType = entries.get("type");
    String type = ofType == null ? typeOf(file) : type(path + ".type", ofType.value());
    PageTemplate page = type == null ? null : template(path, "text", text, "file", file, type);
    ConfigTree.Entry json = entries.get("json");
    ConfigTree.Entry jsonFile = entries.get("json-file");
    PageTemplate second =
        json == null && jsonFile == null
            ? null
            : template(path, "json", json, "json-file", jsonFile, "application/json");
    ConfigTree.Entry ofFrom = entries.get("from");
    List<String> from =
        ofFrom == null
            ? List.of("edge")
            : reader.words(path + ".from", ofFrom.value(), List.of("edge", "origin"));
    boolean isWhole =
        page != null && from != null && (second != null || (json == null && jsonFile == null));
    return isWhole
        ? new StatusPage(
            Objects.requireNonNull(page),
            second,
            Objects.requireNonNull(from).contains("edge"),
            from.contains("origin"))
        : null;
  }

  private static String typeOf(ConfigTree.@Nullable Entry file) {
    boolean isHtml =
        file != null
            && file.value() instanceof ConfigTree.Scalar scalar
            && scalar.text().matches(".*\\.html?");
    return (isHtml ? "text/html" : "text/plain") + "; charset=utf-8";
  }

  private @Nullable String type(String path, ConfigTree tree) {
    String type = reader.text(path, tree);
    if (type != null && !type.matches("[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+( *;[ -~]*)?")) {
      reader.problem(tree.place(), path, "not a media type", "write one such as text/html");
      return null;
    }
    return type;
  }

  private @Nullable PageTemplate template(
      String path,
      String textKey,
      ConfigTree.@Nullable Entry text,
      String fileKey,
      ConfigTree.@Nullable Entry file,
      String type) {
    byte[] body = bodies.read(path + "." + textKey, text, path + "." + fileKey, file);
    if (body == null) {
      return null;
    }
    try {
      return PageTemplate.of(type, body);
    } catch (IllegalArgumentException e) {
      ConfigTree.Entry given = Objects.requireNonNull(text == null ? file : text);
      reader.problem(
          given.place(),
          path + "." + given.key(),
          "it has " + e.getMessage(),
          "use at most " + PageTemplate.MAX_VARIABLES);
      return null;
    }
  }

  // --- CORS -------------------------------------------------------------------------------------

  private @Nullable CorsPolicy cors(String path, ConfigTree tree) {
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, CORS_KEYS);
    if (entries == null) {
      return null;
    }
    ConfigTree.Entry ofOrigins = entries.get("origins");
    if (ofOrigins == null) {
      reader.problem(
          tree.place(), path + ".origins", "is missing", "list origins such as https://a.example");
      return null;
    }
    List<String> origins = origins(path + ".origins", ofOrigins.value());
    ConfigTree.Entry ofCredentials = entries.get("credentials");
    Boolean credentials =
        ofCredentials == null
            ? Boolean.FALSE
            : reader.value(path + ".credentials", ofCredentials.value(), ValueType.BOOLEAN);
    ConfigTree.Entry ofAge = entries.get("max-age");
    Duration maxAge =
        ofAge == null
            ? null
            : reader.value(path + ".max-age", ofAge.value(), ValueType.duration("0s", "1d"));
    List<String> methods = names(path, entries, "methods", DEFAULT_METHODS);
    List<String> requested = names(path, entries, "request-headers", List.of());
    List<String> exposed = names(path, entries, "expose-headers", List.of());
    if (origins == null
        || credentials == null
        || (ofAge != null && maxAge == null)
        || methods == null
        || requested == null
        || exposed == null) {
      return null;
    }
    if (credentials && ofCredentials != null) {
      String wide =
          origins.contains("*")
              ? "origins"
              : methods.contains("*")
                  ? "methods"
                  : requested.contains("*")
                      ? "request-headers"
                      : exposed.contains("*") ? "expose-headers" : null;
      if (wide != null || origins.contains("null")) {
        reader.problem(
            ofCredentials.place(),
            path + ".credentials",
            wide == null
                ? "origins has null, which every sandboxed page is"
                : wide + " has *, which browsers do not take together with credentials",
            "list what is allowed, or remove credentials");
        return null;
      }
    }
    return new CorsPolicy(
        TreeText.of(tree),
        new CorsPolicy.Settings(origins, methods, requested, exposed, maxAge, credentials));
  }

  private @Nullable List<String> origins(String path, ConfigTree tree) {
    List<String> origins = reader.texts(path, tree);
    if (origins == null) {
      return null;
    }
    if (origins.size() > MAX_ORIGINS || (origins.size() > 1 && origins.contains("*"))) {
      boolean isMany = origins.size() > MAX_ORIGINS;
      reader.problem(
          tree.place(),
          path,
          isMany ? origins.size() + " origins" : "* stands for every origin",
          isMany ? "use at most " + MAX_ORIGINS : "remove the others, or *");
      return null;
    }
    for (String origin : origins) {
      String wrong = null;
      if (!origin.equals("*") && !origin.equals("null")) {
        if (!ORIGIN.matcher(origin).matches()) {
          wrong = "is not an origin";
        } else if (hasDefaultPort(origin)) {
          wrong = "names the port that browsers leave out";
        }
      }
      if (wrong != null) {
        reader.problem(
            tree.place(),
            path,
            "\"" + Printable.shown(origin) + "\" " + wrong,
            "write scheme and host in lower case, such as https://a.example, https://*.a.example or"
                + " http://localhost:3000; or *, or null");
        return null;
      }
    }
    return origins;
  }

  private static boolean hasDefaultPort(String origin) {
    return (origin.startsWith("https://") && origin.endsWith(":443"))
        || (origin.startsWith("http://") && origin.endsWith(":80"));
  }

  private @Nullable List<String> names(
      String path, Map<String, ConfigTree.Entry> entries, String key, List<String> defaults) {
    ConfigTree.Entry entry = entries.get(key);
    if (entry == null) {
      return defaults;
    }
    List<String> names = reader.texts(path + "." + key, entry.value());
    if (names == null) {
      return null;
    }
    if (names.size() > MAX_NAMES) {
      reader.problem(
          entry.place(), path + "." + key, names.size() + " names", "use at most " + MAX_NAMES);
      return null;
    }
    for (String name : names) {
      // A star is a token as well.
      if (!FieldSyntax.isToken(name)) {
        reader.problem(
            entry.value().place(),
            path + "." + key,
            "\""
                + Printable.shown(name)
                + "\" is not "
                + (key.equals("methods") ? "a method" : "the name of a header field"),
            "write "
                + (key.equals("methods") ? "methods such as PUT" : "names such as Content-Type")
                + ", or *");
        return null;
      }
    }
    return names;
  }

  // --- security headers -------------------------------------------------------------------------

  private SecurityHeaders securityHeaders(String path, ConfigTree tree) {
    List<String> known = List.of("on", "strict", "off");
    List<String> preset;
    Boolean overwrites = Boolean.FALSE;
    if (tree instanceof ConfigTree.Mapping) {
      Map<String, ConfigTree.Entry> entries =
          reader.entries(path, tree, List.of("preset", "overwrite"));
      if (entries == null) {
        return SecurityHeaders.NONE;
      }
      ConfigTree.Entry ofPreset = entries.get("preset");
      preset =
          ofPreset == null
              ? List.of("on")
              : reader.words(path + ".preset", ofPreset.value(), known);
      ConfigTree.Entry ofOverwrite = entries.get("overwrite");
      if (ofOverwrite != null) {
        overwrites = reader.value(path + ".overwrite", ofOverwrite.value(), ValueType.BOOLEAN);
      }
    } else {
      preset = reader.words(path, tree, known);
    }
    if (preset == null || preset.size() != 1 || overwrites == null || preset.contains("off")) {
      return SecurityHeaders.NONE;
    }
    return SecurityHeaders.of(
        TreeText.of(tree),
        tree.place().text(),
        preset.contains("strict") ? SecurityHeaders.Preset.STRICT : SecurityHeaders.Preset.ON,
        overwrites);
  }
}
