package io.forebay.server.config;

import io.forebay.core.http.FieldSyntax;
import io.forebay.server.network.NetworkSet;
import io.forebay.server.rule.Condition;
import io.forebay.server.rule.Glob;
import io.forebay.server.rule.RequestConditions;
import io.forebay.server.rule.ResponseCondition;
import io.forebay.server.rule.Split;
import io.forebay.server.rule.TextMatcher;
import io.forebay.server.rule.TextSet;
import io.forebay.server.rule.TimeWindow;
import io.forebay.server.rule.expression.Expression;
import io.forebay.server.rule.expression.ExpressionCompiler;
import io.forebay.server.rule.expression.ExpressionException;
import io.forebay.server.rule.expression.Variable.Subject;
import io.forebay.server.text.LinearRegex;
import io.forebay.server.text.Printable;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compiles conditions, and the matchers that name them. */
final class ConditionBinder {
  static final int MAX_DEPTH = 8;
  static final int MAX_SIZE = 256;

  static final List<String> KEYS =
      List.of(
          "host",
          "path",
          "method",
          "query",
          "header",
          "cookie",
          "client",
          "country",
          "asn",
          "listener",
          "scheme",
          "protocol",
          "tls-version",
          "server-name",
          "ja4",
          "client-certificate",
          "time",
          "split",
          "matches",
          "expression",
          "all",
          "any",
          "not");

  /** Of conditions on responses. */
  static final List<String> RESPONSE_KEYS =
      List.of("status", "content-type", "header", "expression");

  /** By ISO 3166-1, and Kosovo's, which is assigned by its users. */
  private static final Set<String> COUNTRIES =
      Collections.unmodifiableSet(
          new TreeSet<>(
              Stream.concat(Stream.of(Locale.getISOCountries()), Stream.of("XK")).toList()));

  static final List<String> TEXT_KEYS =
      List.of("is", "prefix", "suffix", "glob", "regex", "present");
  static final List<String> PATH_KEYS =
      List.of("is", "prefix", "suffix", "extension", "glob", "regex");
  static final List<String> HOST_KEYS = List.of("is", "suffix", "glob", "regex");
  private static final List<String> DAYS = List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");

  private final TreeReader reader;
  private final Map<String, ConfigTree> matchers;
  private final Map<String, Split> splits;
  private final GeoConfig geo;
  private final HandshakeFacts handshakes;
  private final Set<String> listeners;
  private final Map<String, @Nullable Condition> bound = new HashMap<>();

  /** The matchers whose conditions are being compiled, the outermost first. */
  private final Set<String> open = new LinkedHashSet<>();

  /**
   * Conditions that can name matchers and listeners.
   *
   * @param matchers their conditions by name
   */
  ConditionBinder(
      TreeReader reader,
      Map<String, ConfigTree> matchers,
      Map<String, Split> splits,
      GeoConfig geo,
      HandshakeFacts handshakes,
      Set<String> listeners) {
    this.reader = reader;
    this.matchers = matchers;
    this.splits = splits;
    this.geo = geo;
    this.handshakes = handshakes;
    this.listeners = listeners;
  }

  /** Compiles all matchers, so that every problem is found. */
  void bindMatchers() {
    matchers.keySet().forEach(this::matcher);
  }

  private @Nullable Condition matcher(String name) {
    ConfigTree tree = matchers.get(name);
    if (tree == null || bound.containsKey(name)) {
      return bound.get(name);
    }
    String path = "matchers." + name;
    if (!open.add(name)) {
      reader.problem(
          tree.place(),
          path,
          "it names itself: " + String.join(" -> ", open) + " -> " + name,
          "remove one of these");
      return null;
    }
    Condition condition = bind(path, tree);
    open.remove(name);
    bound.put(name, condition);
    return condition;
  }

  /** Compiles a condition; null after a problem. */
  @Nullable Condition bind(String path, ConfigTree tree) {
    Condition condition = bind(path, tree, 1);
    if (condition != null && condition.size() > MAX_SIZE) {
      reader.problem(
          tree.place(),
          path,
          condition.size() + " conditions with those of its matchers",
          "use at most " + MAX_SIZE);
      return null;
    }
    return condition;
  }

  private @Nullable Condition bind(String path, ConfigTree tree, int depth) {
    if (depth > MAX_DEPTH) {
      reader.problem(
          tree.place(), path, "nested deeper than " + MAX_DEPTH + " levels", "name a matcher");
      return null;
    }
    if (tree instanceof ConfigTree.Mapping mapping) {
      for (ConfigTree.Entry entry : mapping.entries()) {
        if (entry.key().equals("response")) {
          reader.problem(
              entry.place(),
              path + ".response",
              "a condition on the response can only stand beside ttl, grace, stale-if-error,"
                  + " cache and response-headers, as response of the rule",
              "");
          return null;
        }
      }
    }
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, KEYS);
    if (entries == null) {
      return null;
    }
    if (entries.isEmpty()) {
      refuseEmpty(path, tree, KEYS);
      return null;
    }
    List<Condition> conditions = new ArrayList<>();
    boolean isWhole = true;
    for (ConfigTree.Entry entry : entries.values()) {
      Condition one = bind(path + "." + entry.key(), entry, depth);
      if (one == null) {
        isWhole = false;
      } else {
        conditions.add(one);
      }
    }
    return isWhole ? Condition.all(conditions) : null;
  }

  private @Nullable Condition bind(String path, ConfigTree.Entry entry, int depth) {
    ConfigTree tree = entry.value();
    return switch (entry.key()) {
      case "host" -> of(hostTest(path, tree), RequestConditions::host);
      case "path" -> of(pathTest(path, tree), RequestConditions::path);
      case "method" -> of(methodTest(path, tree), RequestConditions::method);
      case "query" -> named(path, tree, this::isParameter, RequestConditions::query);
      case "header" -> named(path, tree, this::headerName, RequestConditions::header);
      case "cookie" -> named(path, tree, this::cookieName, RequestConditions::cookie);
      case "client" -> client(path, tree);
      case "country" -> country(path, tree);
      case "asn" -> asn(path, tree);
      case "listener" -> of(words(path, tree, listeners), RequestConditions::listener);
      case "scheme" -> of(words(path, tree, List.of("http", "https")), RequestConditions::scheme);
      case "protocol" ->
          of(
              words(path, tree, List.of("HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/3")),
              RequestConditions::protocol);
      case "tls-version" ->
          of(words(path, tree, List.of("TLSv1.2", "TLSv1.3")), RequestConditions::tlsVersion);
      case "server-name" -> of(hostTest(path, tree), RequestConditions::tlsServerName);
      case "ja4" -> ja4(path, tree);
      case "client-certificate" -> clientCertificate(path, tree);
      case "time" -> time(path, tree);
      case "split" -> split(path, tree);
      case "matches" -> matches(path, tree);
      case "expression" -> {
        Expression expression = expression(path, tree, Subject.REQUEST);
        yield expression == null ? null : RequestConditions.expression(expression);
      }
      case "all" -> list(path, tree, depth, Condition::all);
      case "any" -> list(path, tree, depth, Condition::any);
      case "not" -> {
        Condition inner = bind(path, tree, depth + 1);
        yield inner == null ? null : Condition.not(inner);
      }
      default -> throw new IllegalStateException(entry.key());
    };
  }

  /** Unknown keys were reported already; a condition without any is a mistake too. */
  private void refuseEmpty(String path, ConfigTree tree, List<String> keys) {
    if (tree instanceof ConfigTree.Mapping mapping && mapping.entries().isEmpty()) {
      reader.problem(
          tree.place(), path, "an empty condition", "known here: " + String.join(", ", keys));
    }
  }

  private static @Nullable Condition of(
      @Nullable TextMatcher test, Function<TextMatcher, Condition> make) {
    return test == null ? null : make.apply(test);
  }

  // --- responses --------------------------------------------------------------------------------

  /**
   * Compiles a condition on the response of the origin; null after a problem.
   *
   * @param holdsOnError whether it holds where its expression has no value
   */
  @Nullable ResponseCondition ofResponse(String path, ConfigTree tree, boolean holdsOnError) {
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, RESPONSE_KEYS);
    if (entries == null) {
      return null;
    }
    if (entries.isEmpty()) {
      refuseEmpty(path, tree, RESPONSE_KEYS);
      return null;
    }
    ConfigTree.Entry status = entries.get("status");
    BitSet statuses = status == null ? null : statuses(path + ".status", status.value());
    ConfigTree.Entry type = entries.get("content-type");
    TextMatcher typeTest = type == null ? null : textTest(path + ".content-type", type.value());
    List<ResponseCondition.Header> headers = new ArrayList<>();
    ConfigTree.Entry header = entries.get("header");
    if (header != null) {
      Map<String, ConfigTree.Entry> named = reader.entries(path + ".header", header.value());
      if (named == null) {
        return null;
      }
      for (ConfigTree.Entry entry : named.values()) {
        String own = path + ".header." + entry.key();
        String name = headerName(own, entry);
        TextMatcher test = textTest(own, entry.value());
        if (name == null || test == null) {
          return null;
        }
        headers.add(new ResponseCondition.Header(name, test));
      }
    }
    ConfigTree.Entry cel = entries.get("expression");
    Expression expression =
        cel == null ? null : expression(path + ".expression", cel.value(), Subject.RESPONSE);
    return (status == null || statuses != null)
            && (type == null || typeTest != null)
            && (cel == null || expression != null)
        ? new ResponseCondition(statuses, typeTest, headers, expression, holdsOnError)
        : null;
  }

  // --- expressions ------------------------------------------------------------------------------

  private @Nullable Expression expression(String path, ConfigTree tree, Subject subject) {
    String text = reader.text(path, tree, ExpressionCompiler.MAX_LENGTH);
    if (text == null || !(tree instanceof ConfigTree.Scalar scalar)) {
      return null;
    }
    try {
      return ExpressionCompiler.compile(text, subject);
    } catch (ExpressionException e) {
      for (ExpressionException.Problem problem : e.problems()) {
        SourceLocation content = scalar.content();
        SourceLocation place =
            content.line() == 0
                ? content
                : new SourceLocation(
                    content.source(),
                    content.line() + problem.line(),
                    content.column() + problem.column());
        reader.problem(place, path, problem.message(), problem.right());
      }
      return null;
    }
  }

  /** Statuses, classes such as 4xx and ranges such as 200-299. */
  @Nullable BitSet statuses(String path, ConfigTree tree) {
    List<String> texts = reader.texts(path, tree);
    if (texts == null) {
      return null;
    }
    BitSet statuses = new BitSet(600);
    for (String text : texts) {
      if (text.matches("[2-5]xx")) {
        int first = (text.charAt(0) - '0') * 100;
        statuses.set(first, first + 100);
      } else if (text.matches("[2-5]\\d\\d")) {
        statuses.set(Integer.parseInt(text));
      } else if (text.matches("[2-5]\\d\\d-[2-5]\\d\\d")
          && text.substring(0, 3).compareTo(text.substring(4)) <= 0) {
        statuses.set(
            Integer.parseInt(text.substring(0, 3)), Integer.parseInt(text.substring(4)) + 1);
      } else {
        reader.problem(
            tree.place(),
            path,
            "\"" + Printable.shown(text) + "\" is not a status",
            "write statuses such as 404, 5xx or 200-299");
        return null;
      }
    }
    return statuses;
  }

  // --- combinations -----------------------------------------------------------------------------

  private @Nullable Condition list(
      String path, ConfigTree tree, int depth, Function<List<Condition>, Condition> make) {
    if (!(tree instanceof ConfigTree.Sequence sequence) || sequence.items().isEmpty()) {
      reader.problem(tree.place(), path, "not a list of conditions", "begin each with a dash");
      return null;
    }
    if (sequence.items().size() > MAX_SIZE) {
      reader.problem(tree.place(), path, "more than " + MAX_SIZE + " conditions", "use fewer");
      return null;
    }
    List<Condition> conditions = new ArrayList<>();
    int index = 0;
    boolean isWhole = true;
    for (ConfigTree item : sequence.items()) {
      Condition one = bind(path + "." + index++, item, depth + 1);
      if (one == null) {
        isWhole = false;
      } else {
        conditions.add(one);
      }
    }
    return isWhole ? make.apply(conditions) : null;
  }

  private @Nullable Condition matches(String path, ConfigTree tree) {
    List<String> names = reader.texts(path, tree);
    if (names == null) {
      return null;
    }
    List<Condition> conditions = new ArrayList<>();
    for (String name : names) {
      if (!matchers.containsKey(name)) {
        reader.problem(
            tree.place(),
            path,
            "there is no matcher named " + Printable.shown(name),
            matchers.isEmpty()
                ? "add it under matchers"
                : Printable.suggestion(name, matchers.keySet()));
        return null;
      }
      Condition one = matcher(name);
      if (one == null) {
        return null;
      }
      conditions.add(one);
    }
    return Condition.all(conditions);
  }

  // --- splits -----------------------------------------------------------------------------------

  /** For each split that is named, the client is in one of the groups. */
  private @Nullable Condition split(String path, ConfigTree tree) {
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree);
    if (entries == null) {
      return null;
    }
    if (entries.isEmpty()) {
      reader.problem(tree.place(), path, "names nothing", "write SPLIT: GROUP");
      return null;
    }
    List<Condition> conditions = new ArrayList<>();
    for (ConfigTree.Entry entry : entries.values()) {
      String own = path + "." + entry.key();
      Split split = splits.get(entry.key());
      if (split == null) {
        reader.problem(
            entry.place(),
            own,
            "there is no split named " + Printable.shown(entry.key()),
            splits.isEmpty()
                ? "add it under splits"
                : Printable.suggestion(entry.key(), splits.keySet()));
        return null;
      }
      List<String> groups = reader.words(own, entry.value(), split.groups());
      if (groups == null) {
        return null;
      }
      conditions.add(split.condition(groups.stream().map(split.groups()::indexOf).toList()));
    }
    return Condition.all(conditions);
  }

  // --- parts of requests ------------------------------------------------------------------------

  private interface NameCheck {
    @Nullable String check(String path, ConfigTree.Entry entry);
  }

  private interface NamedCondition {
    Condition of(String name, TextMatcher test);
  }

  private @Nullable Condition named(
      String path, ConfigTree tree, NameCheck check, NamedCondition make) {
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree);
    if (entries == null) {
      return null;
    }
    if (entries.isEmpty()) {
      reader.problem(tree.place(), path, "names nothing", "write NAME: VALUE");
      return null;
    }
    List<Condition> conditions = new ArrayList<>();
    boolean isWhole = true;
    for (ConfigTree.Entry entry : entries.values()) {
      String own = path + "." + entry.key();
      String name = check.check(own, entry);
      TextMatcher test = textTest(own, entry.value());
      if (name == null || test == null) {
        isWhole = false;
      } else {
        conditions.add(make.of(name, test));
      }
    }
    return isWhole ? Condition.all(conditions) : null;
  }

  private @Nullable String isParameter(String path, ConfigTree.Entry entry) {
    return entry.key();
  }

  private @Nullable String headerName(String path, ConfigTree.Entry entry) {
    if (!FieldSyntax.isToken(entry.key())) {
      reader.problem(
          entry.place(), path, "not the name of a header field", "write a name such as X-Country");
      return null;
    }
    String name = entry.key().toLowerCase(Locale.ROOT);
    if (name.equals("host")) {
      reader.problem(
          entry.place(), path, "HTTP/2 requests have no Host field", "use the condition host");
      return null;
    }
    return name;
  }

  private @Nullable String cookieName(String path, ConfigTree.Entry entry) {
    if (!FieldSyntax.isToken(entry.key())) {
      reader.problem(
          entry.place(), path, "not the name of a cookie", "write a name such as session");
      return null;
    }
    return entry.key();
  }

  private @Nullable TextMatcher words(String path, ConfigTree tree, Collection<String> known) {
    List<String> words = reader.words(path, tree, known);
    return words == null ? null : new TextMatcher.Exact(TextSet.of(words));
  }

  private @Nullable TextMatcher methodTest(String path, ConfigTree tree) {
    List<String> methods = reader.texts(path, tree);
    if (methods == null) {
      return null;
    }
    for (String method : methods) {
      if (!FieldSyntax.isToken(method)) {
        reader.problem(
            tree.place(),
            path,
            "\"" + Printable.shown(method) + "\" is not a method",
            "write methods such as GET");
        return null;
      }
      if (!method.equals(method.toUpperCase(Locale.ROOT))) {
        reader.problem(
            tree.place(),
            path,
            "methods are case-sensitive",
            "write " + method.toUpperCase(Locale.ROOT));
        return null;
      }
    }
    return new TextMatcher.Exact(TextSet.of(methods));
  }

  private @Nullable Condition client(String path, ConfigTree tree) {
    List<String> texts = reader.texts(path, tree);
    if (texts == null) {
      return null;
    }
    try {
      return RequestConditions.client(
          NetworkSet.masked(ValueType.NETWORKS.reader().read(String.join(",", texts))));
    } catch (ValueType.WrongValueException e) {
      reader.problem(tree.place(), path, e.message(), e.right());
      return null;
    }
  }

  private @Nullable Condition country(String path, ConfigTree tree) {
    List<String> codes = reader.words(path, tree, COUNTRIES);
    if (codes == null || !hasFile(path, tree, geo.countryFile(), "geo.country-file")) {
      return null;
    }
    return RequestConditions.country(geo.locator(), Set.copyOf(codes));
  }

  private @Nullable Condition ja4(String path, ConfigTree tree) {
    if (!handshakes.isFingerprinting()) {
      reader.problem(tree.place(), path, "clients have no fingerprints", "set tls.ja4 to true");
      return null;
    }
    return of(textTest(path, tree), RequestConditions::ja4);
  }

  private @Nullable Condition clientCertificate(String path, ConfigTree tree) {
    if (!handshakes.asksForCertificates()) {
      reader.problem(
          tree.place(),
          path,
          "no client is asked for a certificate",
          "set certificates.NAME.client-auth");
      return null;
    }
    return new ClientCertificateBinder(reader, this::textTest, this::hostTest, TEXT_KEYS)
        .bind(path, tree);
  }

  private @Nullable Condition asn(String path, ConfigTree tree) {
    List<String> texts = reader.texts(path, tree);
    if (texts == null || !hasFile(path, tree, geo.asnFile(), "geo.asn-file")) {
      return null;
    }
    Set<Long> numbers = new HashSet<>();
    for (String text : texts) {
      String digits = text.startsWith("AS") ? text.substring(2) : text;
      long number = digits.matches("[0-9]{1,10}") ? Long.parseLong(digits) : 0;
      if (number < 1 || number > 0xffff_ffffL) {
        reader.problem(
            tree.place(),
            path,
            "\"" + Printable.shown(text) + "\" is not the number of an autonomous system",
            "write numbers such as 64500");
        return null;
      }
      numbers.add(number);
    }
    return RequestConditions.asn(geo.locator(), Set.copyOf(numbers));
  }

  private boolean hasFile(String path, ConfigTree tree, @Nullable Path file, String key) {
    if (file == null) {
      reader.problem(tree.place(), path, "there is no " + key, "set it");
    }
    return file != null;
  }

  // --- texts ------------------------------------------------------------------------------------

  /** A value or a list of values, each with wildcards or not; or a mapping. */
  private @Nullable TextMatcher textTest(String path, ConfigTree tree) {
    if (tree instanceof ConfigTree.Mapping) {
      return mappedTest(path, tree, TEXT_KEYS, this::plainTest);
    }
    List<String> texts = reader.texts(path, tree);
    return texts == null ? null : valuesTest(texts);
  }

  private static TextMatcher valuesTest(List<String> texts) {
    List<TextMatcher> tests = new ArrayList<>();
    List<String> exact = new ArrayList<>();
    for (String text : texts) {
      if (text.equals("*")) {
        return TextMatcher.present();
      }
      if (Glob.isPattern(text)) {
        tests.add(new TextMatcher.Wildcard(Glob.of(text)));
      } else {
        exact.add(text);
      }
    }
    if (!exact.isEmpty()) {
      tests.addFirst(new TextMatcher.Exact(TextSet.of(exact)));
    }
    return TextMatcher.any(tests);
  }

  private @Nullable TextMatcher hostTest(String path, ConfigTree tree) {
    if (tree instanceof ConfigTree.Mapping) {
      return mappedTest(path, tree, HOST_KEYS, this::hostPart);
    }
    List<String> texts = reader.texts(path, tree);
    if (texts == null) {
      return null;
    }
    for (String text : texts) {
      if (!isHost(path, tree, text)) {
        return null;
      }
    }
    return valuesTest(texts.stream().map(text -> text.toLowerCase(Locale.ROOT)).toList());
  }

  private boolean isHost(String path, ConfigTree tree, String text) {
    if (text.matches("[A-Za-z0-9._*?-]+|\\[[0-9A-Fa-f:.]+]")) {
      return true;
    }
    reader.problem(
        tree.place(),
        path,
        "\"" + Printable.shown(text) + "\" is not a host without a port",
        "write a name such as www.example.com or *.example.com");
    return false;
  }

  private @Nullable TextMatcher hostPart(String path, ConfigTree tree, String key, String text) {
    if (key.equals("regex")) {
      return plainTest(path, tree, key, text);
    }
    return isHost(path, tree, text)
        ? plainTest(path, tree, key, text.toLowerCase(Locale.ROOT))
        : null;
  }

  private @Nullable TextMatcher pathTest(String path, ConfigTree tree) {
    if (tree instanceof ConfigTree.Mapping) {
      return mappedTest(path, tree, PATH_KEYS, this::pathPart);
    }
    List<String> texts = reader.texts(path, tree);
    if (texts == null) {
      return null;
    }
    List<TextMatcher> tests = new ArrayList<>();
    for (String text : texts) {
      TextMatcher test = pathPart(path, tree, "prefix", text);
      if (test == null) {
        return null;
      }
      tests.add(test);
    }
    return TextMatcher.any(tests);
  }

  private @Nullable TextMatcher pathPart(String path, ConfigTree tree, String key, String text) {
    if (key.equals("is") || key.equals("prefix")) {
      try {
        ValueType.PATH_PREFIX.reader().read(text);
      } catch (ValueType.WrongValueException e) {
        reader.problem(tree.place(), path, e.message(), e.right());
        return null;
      }
      return key.equals("is")
          ? new TextMatcher.Exact(TextSet.of(List.of(text)))
          : new TextMatcher.PathPrefix(text);
    }
    if (key.equals("extension")) {
      return extension(path, tree, text);
    }
    if (!key.equals("regex") && (!text.matches("[!-~]+") || text.indexOf('#') >= 0)) {
      reader.problem(
          tree.place(),
          path,
          "\"" + Printable.shown(text) + "\" has characters that no path has",
          "percent-encode them");
      return null;
    }
    if (key.equals("glob") && !text.startsWith("/") && !text.startsWith("*")) {
      reader.problem(
          tree.place(),
          path,
          "\"" + Printable.shown(text) + "\" matches no path",
          "begin it with / or *");
      return null;
    }
    return plainTest(path, tree, key, text);
  }

  private @Nullable TextMatcher extension(String path, ConfigTree tree, String text) {
    String extension = text.startsWith(".") ? text.substring(1) : text;
    if (extension.matches("[A-Za-z0-9_~-]{1,32}")) {
      return new TextMatcher.Extension(TextSet.ofIgnoringCase(List.of(extension)));
    }
    reader.problem(
        tree.place(),
        path,
        "\"" + Printable.shown(text) + "\" is not the extension of a file",
        "write extensions such as m3u8");
    return null;
  }

  private interface TextPart {
    @Nullable TextMatcher test(String path, ConfigTree tree, String key, String text);
  }

  /** All keys hold; of the values of one key, one. */
  private @Nullable TextMatcher mappedTest(
      String path, ConfigTree tree, List<String> keys, TextPart part) {
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, keys);
    if (entries == null) {
      return null;
    }
    if (entries.isEmpty()) {
      if (tree instanceof ConfigTree.Mapping mapping && mapping.entries().isEmpty()) {
        reader.problem(
            tree.place(),
            path,
            "nothing to compare with",
            "known here: " + String.join(", ", keys));
      }
      return null;
    }
    List<TextMatcher> all = new ArrayList<>();
    for (ConfigTree.Entry entry : entries.values()) {
      String own = path + "." + entry.key();
      List<String> texts = reader.texts(own, entry.value());
      if (texts == null) {
        return null;
      }
      List<TextMatcher> any = new ArrayList<>();
      for (String text : texts) {
        TextMatcher test = part.test(own, entry.value(), entry.key(), text);
        if (test == null) {
          return null;
        }
        any.add(test);
      }
      all.add(TextMatcher.any(any));
    }
    return TextMatcher.all(all);
  }

  private @Nullable TextMatcher plainTest(String path, ConfigTree tree, String key, String text) {
    return switch (key) {
      case "is" -> new TextMatcher.Exact(TextSet.of(List.of(text)));
      case "prefix" -> new TextMatcher.Prefix(text);
      case "suffix" -> new TextMatcher.Suffix(text);
      case "glob" -> new TextMatcher.Wildcard(Glob.of(text));
      case "present" -> {
        if (text.equals("true")) {
          yield TextMatcher.present();
        }
        reader.problem(
            tree.place(), path, "only true can be written here", "put the condition below not");
        yield null;
      }
      case "regex" -> {
        try {
          yield new TextMatcher.Regex(LinearRegex.of(text));
        } catch (IllegalArgumentException e) {
          reader.problem(
              tree.place(), path, Printable.shown(String.valueOf(e.getMessage()), 200), "");
          yield null;
        }
      }
      default -> throw new IllegalStateException(key);
    };
  }

  // --- time -------------------------------------------------------------------------------------

  private @Nullable Condition time(String path, ConfigTree tree) {
    Map<String, ConfigTree.Entry> entries =
        reader.entries(path, tree, List.of("days", "from", "to", "zone"));
    if (entries == null) {
      return null;
    }
    ConfigTree.Entry days = entries.get("days");
    Set<DayOfWeek> set = EnumSet.allOf(DayOfWeek.class);
    if (days != null) {
      List<String> words = reader.words(path + ".days", days.value(), DAYS);
      if (words == null) {
        return null;
      }
      set = EnumSet.noneOf(DayOfWeek.class);
      for (String word : words) {
        set.add(DayOfWeek.of(DAYS.indexOf(word) + 1));
      }
    }
    ConfigTree.Entry zone = entries.get("zone");
    ZoneId id = zone == null ? ZoneOffset.UTC : zone(path + ".zone", zone.value());
    ConfigTree.Entry from = entries.get("from");
    ConfigTree.Entry to = entries.get("to");
    if ((from == null) != (to == null)) {
      reader.problem(
          tree.place(), path, "from and to belong together", "give both, or neither for all day");
      return null;
    }
    Integer start = from == null ? Integer.valueOf(0) : minute(path + ".from", from.value());
    Integer end = to == null ? Integer.valueOf(0) : minute(path + ".to", to.value());
    if (from == null && days == null) {
      reader.problem(tree.place(), path, "names no time", "give days, or from and to");
      return null;
    }
    return id == null || start == null || end == null ? null : new TimeWindow(set, start, end, id);
  }

  private @Nullable ZoneId zone(String path, ConfigTree tree) {
    String text = reader.text(path, tree);
    if (text == null) {
      return null;
    }
    try {
      return ZoneId.of(text);
    } catch (DateTimeException e) {
      reader.problem(
          tree.place(),
          path,
          "\"" + Printable.shown(text) + "\" is not a time zone",
          "write a name such as Europe/Berlin");
      return null;
    }
  }

  private @Nullable Integer minute(String path, ConfigTree tree) {
    String text = reader.text(path, tree);
    if (text == null) {
      return null;
    }
    if (!text.matches("([01]\\d|2[0-3]):[0-5]\\d")) {
      reader.problem(
          tree.place(),
          path,
          "\"" + Printable.shown(text) + "\" is not a time of day",
          "write one such as \"08:30\"");
      return null;
    }
    return Integer.parseInt(text.substring(0, 2)) * 60 + Integer.parseInt(text.substring(3));
  }
}
