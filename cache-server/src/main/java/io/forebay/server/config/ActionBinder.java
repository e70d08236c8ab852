package io.forebay.server.config;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.route.Mirror;
import io.forebay.core.route.ResponseOverrides;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.rule.FieldEdits;
import io.forebay.server.rule.LocalAnswer;
import io.forebay.server.rule.RedirectMap;
import io.forebay.server.rule.ResponseCondition;
import io.forebay.server.rule.Rewrite;
import io.forebay.server.rule.RuleActions;
import io.forebay.server.rule.StoreActions;
import io.forebay.server.rule.Template;
import io.forebay.server.text.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compiles the actions of one rule. */
final class ActionBinder {
  static final int MAX_FIELD_LINES = 64;
  private static final int MAX_VALUE = 4096;
  private static final ValueType<Long> HELD_BODY = ValueType.size("1KiB", "1GiB");

  private static final List<String> ANSWERS = List.of("deny", "redirect", "respond");

  /** All keys of a rule. */
  static final List<String> RULE_KEYS =
      List.of(
          "name",
          "when",
          "use",
          "on-error",
          "deny",
          "redirect",
          "respond",
          "pass",
          "origin",
          "rewrite",
          "request-headers",
          "mirror",
          "hold-body",
          "response",
          "ttl",
          "grace",
          "stale-if-error",
          "cache",
          "response-headers",
          "pacing",
          "plugin");

  private static final List<String> STORING = List.of("ttl", "grace", "stale-if-error", "cache");

  /** What can depend on the response. */
  private static final List<String> OF_RESPONSES =
      List.of("ttl", "grace", "stale-if-error", "cache", "response-headers");

  private static final Set<String> REDIRECTS = Set.of("301", "302", "303", "307", "308");

  private final TreeReader reader;
  private final ConditionBinder conditions;
  private final Set<String> origins;
  private final ReadFiles.Recorder files;
  private final BodyReader bodies;
  private final PluginActionBinder plugins;

  /** Redirect maps that have been read, so that rules which name the same one share it. */
  private final Map<MapSource, ReadMap> maps = new HashMap<>();

  private record MapSource(String file, RedirectMap.By by, int status) {}

  /** A map, null after a problem, and the hash of its file. */
  private record ReadMap(@Nullable RedirectMap map, String hash) {}

  /** For rules that can name origins and files. */
  ActionBinder(
      TreeReader reader,
      ConditionBinder conditions,
      Set<String> origins,
      ReadFiles.Recorder files,
      PluginActionBinder plugins) {
    this.plugins = plugins;
    this.reader = reader;
    this.conditions = conditions;
    this.origins = origins;
    this.files = files;
    this.bodies = new BodyReader(reader, files);
  }

  /** The actions of a rule; null after a problem. */
  @Nullable RuleActions bind(
      String path, SourceLocation place, Map<String, ConfigTree.Entry> entries) {
    ConfigTree.Entry ofPlugin = entries.get("plugin");
    if (ofPlugin != null) {
      return plugins.bind(path, ofPlugin, entries);
    }
    boolean isWhole = true;
    LocalAnswer answer = null;
    String answering = null;
    for (String key : ANSWERS) {
      ConfigTree.Entry entry = entries.get(key);
      if (entry == null) {
        continue;
      }
      if (answering != null) {
        reader.problem(
            entry.place(), path + "." + key, answering + " is given as well", "keep one of them");
        return null;
      }
      answering = key;
      answer =
          switch (key) {
            case "deny" -> deny(path + ".deny", entry.value());
            case "redirect" -> redirect(path + ".redirect", entry.value());
            default -> respond(path + ".respond", entry.value());
          };
      isWhole &= answer != null;
    }
    if (entries.keySet().stream().allMatch(List.of("name", "when", "on-error")::contains)) {
      reader.problem(
          place,
          path,
          "the rule does nothing",
          "add one of " + String.join(", ", RULE_KEYS.subList(4, RULE_KEYS.size())));
      return null;
    }
    ConfigTree.Entry ofPass = entries.get("pass");
    Boolean passes =
        ofPass == null
            ? Boolean.FALSE
            : reader.value(path + ".pass", ofPass.value(), ValueType.BOOLEAN);
    ConfigTree.Entry ofOrigin = entries.get("origin");
    String origin = ofOrigin == null ? null : origin(path + ".origin", ofOrigin.value());
    ConfigTree.Entry ofRewrite = entries.get("rewrite");
    Rewrite rewrite = ofRewrite == null ? null : rewrite(path + ".rewrite", ofRewrite.value());
    FieldEdits requestFields = edits(path, entries, "request-headers", ReservedFields.OF_REQUESTS);
    FieldEdits responseFields =
        edits(path, entries, "response-headers", ReservedFields.OF_RESPONSES);
    ConfigTree.Entry ofMirror = entries.get("mirror");
    Mirror mirror = ofMirror == null ? null : mirror(path + ".mirror", ofMirror.value());
    ConfigTree.Entry ofHeld = entries.get("hold-body");
    Long heldBytes =
        ofHeld == null ? null : reader.value(path + ".hold-body", ofHeld.value(), HELD_BODY);
    ConfigTree.Entry ofPacing = entries.get("pacing");
    Pacing pacing = ofPacing == null ? null : pacing(path + ".pacing", ofPacing.value());
    if (!mayDependOnResponse(path, entries)) {
      return null;
    }
    ConfigTree.Entry ofResponse = entries.get("response");
    ResponseCondition response =
        ofResponse == null
            ? null
            : conditions.ofResponse(
                path + ".response", ofResponse.value(), appliesOnError(path, entries));
    if (response != null && response.expression() != null && responseFields != null) {
      reader.problem(
          place,
          path + ".response.expression",
          "decides about storing alone, and response-headers is beside it",
          "write a rule of its own for response-headers");
      return null;
    }
    boolean isOfStoring = STORING.stream().anyMatch(entries::containsKey);
    StoreActions store = isOfStoring ? store(path, entries, response) : null;
    isWhole &=
        passes != null
            && isOfStoring == (store != null)
            && (ofOrigin == null || origin != null)
            && (ofRewrite == null || rewrite != null)
            && (ofResponse == null || response != null)
            && (ofMirror == null || mirror != null)
            && (ofHeld == null || heldBytes != null)
            && (ofPacing == null || pacing != null)
            && (!entries.containsKey("request-headers") || requestFields != null)
            && (!entries.containsKey("response-headers") || responseFields != null);
    if (!isWhole || passes == null) {
      return null;
    }
    RuleActions actions =
        new RuleActions(
            answer,
            passes,
            origin,
            rewrite,
            requestFields,
            store,
            responseFields,
            response,
            mirror,
            heldBytes == null ? 0 : heldBytes,
            null,
            pacing);
    boolean asksOrigin =
        passes || store != null || mirror != null || ofHeld != null || actions.changesRequest();
    if (answer != null && asksOrigin) {
      reader.problem(
          place, path, answering + " ends the request, so the origin is not asked", "keep one");
      return null;
    }
    return actions;
  }

  /**
   * Whether a rule applies where an expression of its conditions has no value. Unless it says so,
   * rules that restrict do.
   */
  boolean appliesOnError(String path, Map<String, ConfigTree.Entry> entries) {
    ConfigTree.Entry given = entries.get("on-error");
    if (given != null) {
      List<String> word = reader.words(path + ".on-error", given.value(), List.of("apply", "skip"));
      return word != null && word.equals(List.of("apply"));
    }
    return entries.containsKey("deny")
        || entries.containsKey("pass")
        || entries.containsKey("cache");
  }

  // --- storing ----------------------------------------------------------------------------------

  private boolean mayDependOnResponse(String path, Map<String, ConfigTree.Entry> entries) {
    ConfigTree.Entry response = entries.get("response");
    if (response == null) {
      return true;
    }
    boolean does = false;
    for (String key : entries.keySet()) {
      if (OF_RESPONSES.contains(key)) {
        does = true;
      } else if (!List.of("name", "when", "response", "on-error").contains(key)) {
        reader.problem(
            response.place(),
            path + ".response",
            key + " cannot depend on the response",
            "write a rule of its own for it");
        return false;
      }
    }
    if (!does) {
      reader.problem(
          response.place(),
          path + ".response",
          "the rule does nothing with the response",
          "add one of " + String.join(", ", OF_RESPONSES));
    }
    return does;
  }

  private @Nullable StoreActions store(
      String path, Map<String, ConfigTree.Entry> entries, @Nullable ResponseCondition when) {
    Duration[] times = new Duration[3];
    boolean isWhole = true;
    for (int i = 0; i < times.length; i++) {
      ConfigTree.Entry entry = entries.get(STORING.get(i));
      if (entry != null) {
        times[i] =
            reader.value(
                path + "." + entry.key(), entry.value(), ConfigKeys.ROUTE_TTL_OVERRIDE.type());
        isWhole &= times[i] != null;
      }
    }
    ConfigTree.Entry cache = entries.get("cache");
    if (cache != null) {
      Boolean stores = reader.value(path + ".cache", cache.value(), ValueType.BOOLEAN);
      if (stores == null || stores) {
        if (stores != null) {
          reader.problem(
              cache.place(), path + ".cache", "only false can be written here", "use ttl");
        }
        return null;
      }
    }
    return isWhole
        ? new StoreActions(when, new ResponseOverrides(times[0], times[1], times[2], cache != null))
        : null;
  }

  // --- requests to the origin -------------------------------------------------------------------

  private @Nullable String origin(String path, ConfigTree tree) {
    List<String> names = reader.words(path, tree, origins);
    return names == null || names.size() != 1 ? null : names.getFirst();
  }

  private @Nullable Mirror mirror(String path, ConfigTree tree) {
    if (!(tree instanceof ConfigTree.Mapping)) {
      String name = origin(path, tree);
      return name == null ? null : new Mirror(name, 100, false, false);
    }
    Map<String, ConfigTree.Entry> entries =
        reader.entries(path, tree, List.of("origin", "share", "requests", "secrets"));
    ConfigTree.Entry ofOrigin = entries == null ? null : entries.get("origin");
    if (entries == null || ofOrigin == null) {
      if (entries != null) {
        reader.problem(tree.place(), path + ".origin", "is missing", "name an origin");
      }
      return null;
    }
    String name = origin(path + ".origin", ofOrigin.value());
    ConfigTree.Entry ofShare = entries.get("share");
    Integer share =
        ofShare == null
            ? Integer.valueOf(100)
            : reader.value(path + ".share", ofShare.value(), ValueType.percent(1, 100));
    ConfigTree.Entry ofRequests = entries.get("requests");
    List<String> requests =
        ofRequests == null
            ? List.of("forwarded")
            : reader.words(path + ".requests", ofRequests.value(), List.of("forwarded", "all"));
    ConfigTree.Entry ofSecrets = entries.get("secrets");
    Boolean secrets =
        ofSecrets == null
            ? Boolean.FALSE
            : reader.value(path + ".secrets", ofSecrets.value(), ValueType.BOOLEAN);
    return name == null || share == null || requests == null || secrets == null
        ? null
        : new Mirror(name, share, requests.contains("all"), secrets);
  }

  private @Nullable Pacing pacing(String path, ConfigTree tree) {
    Map<String, ConfigTree.Entry> entries =
        reader.entries(path, tree, List.of("rate", "initial-burst"));
    if (entries == null) {
      return null;
    }
    ConfigTree.Entry ofRate = entries.get("rate");
    if (ofRate == null) {
      reader.problem(tree.place(), path + ".rate", "is missing", "write a size for each second");
      return null;
    }
    Long rate = reader.value(path + ".rate", ofRate.value(), PacingKeys.RATE);
    ConfigTree.Entry ofBurst = entries.get("initial-burst");
    Long burst =
        ofBurst == null
            ? Long.valueOf(0)
            : reader.value(path + ".initial-burst", ofBurst.value(), PacingKeys.BURST);
    return rate == null || burst == null ? null : new Pacing(rate, burst, 0);
  }

  private @Nullable Rewrite rewrite(String path, ConfigTree tree) {
    List<String> keys = List.of("path", "strip-prefix", "add-prefix");
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, keys);
    if (entries == null) {
      return null;
    }
    if (entries.size() != 1) {
      if (tree instanceof ConfigTree.Mapping mapping && mapping.entries().size() != 1) {
        reader.problem(
            tree.place(), path, "needs exactly one key", "write one of " + String.join(", ", keys));
      }
      return null;
    }
    ConfigTree.Entry entry = entries.values().iterator().next();
    String own = path + "." + entry.key();
    if (entry.key().equals("path")) {
      Template template = template(own, entry.value());
      if (template == null) {
        return null;
      }
      String text = template.toString();
      if (!text.matches("(/(?!/)|\\$path|\\$uri).*")) {
        reader.problem(entry.value().place(), own, "not a path", "begin it with /, $path or $uri");
        return null;
      }
      return new Rewrite.To(template);
    }
    String prefix = reader.value(own, entry.value(), ValueType.PATH_PREFIX);
    if (prefix == null) {
      return null;
    }
    if (entry.key().equals("strip-prefix")) {
      return new Rewrite.StripPrefix(prefix);
    }
    if (prefix.endsWith("/")) {
      reader.problem(
          entry.value().place(), own, "ends with a slash, and paths begin with one", "remove it");
      return null;
    }
    return new Rewrite.AddPrefix(prefix);
  }

  // --- fields -----------------------------------------------------------------------------------

  /** What is set, added and removed; null where nothing is, or after a problem. */
  private @Nullable FieldEdits edits(
      String rulePath, Map<String, ConfigTree.Entry> rule, String key, Set<String> refused) {
    ConfigTree.Entry given = rule.get(key);
    if (given == null) {
      return null;
    }
    String path = rulePath + "." + key;
    ConfigTree tree = given.value();
    List<String> known =
        key.equals("response-headers")
            ? List.of("set", "add", "remove", "default")
            : List.of("set", "add", "remove");
    Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, known);
    if (entries == null) {
      return null;
    }
    if (entries.isEmpty()) {
      if (tree instanceof ConfigTree.Mapping mapping && mapping.entries().isEmpty()) {
        reader.problem(
            tree.place(), path, "changes nothing", "known here: " + String.join(", ", known));
      }
      return null;
    }
    List<FieldEdits.Line> set = lines(path + ".set", entries.get("set"), refused);
    List<FieldEdits.Line> added = lines(path + ".add", entries.get("add"), refused);
    List<FieldEdits.Line> defaults = lines(path + ".default", entries.get("default"), refused);
    List<String> removed = new ArrayList<>();
    ConfigTree.Entry remove = entries.get("remove");
    if (remove != null) {
      List<String> names = reader.texts(path + ".remove", remove.value());
      if (names == null) {
        return null;
      }
      for (String name : names) {
        String lower = fieldName(path + ".remove", remove.value().place(), name, refused);
        if (lower == null) {
          return null;
        }
        removed.add(lower);
      }
    }
    if (set == null || added == null || defaults == null) {
      return null;
    }
    for (FieldEdits.Line line : defaults) {
      if (!line.value().isConstant()) {
        reader.problem(
            tree.place(),
            path + ".default",
            "a default has no variables",
            "use set, or no variable");
        return null;
      }
    }
    for (FieldEdits.Line line : set) {
      if (removed.contains(line.name())) {
        reader.problem(
            tree.place(), path, line.name() + " is both set and removed", "keep one of them");
        return null;
      }
    }
    int count = set.size() + added.size() + removed.size() + defaults.size();
    if (count > MAX_FIELD_LINES) {
      reader.problem(tree.place(), path, count + " fields", "name at most " + MAX_FIELD_LINES);
      return null;
    }
    return new FieldEdits(set, added, removed, defaults);
  }

  private @Nullable List<FieldEdits.Line> lines(
      String path, ConfigTree.@Nullable Entry entry, Set<String> refused) {
    if (entry == null) {
      return List.of();
    }
    Map<String, ConfigTree.Entry> entries = reader.entries(path, entry.value());
    if (entries == null) {
      return null;
    }
    List<FieldEdits.Line> lines = new ArrayList<>();
    boolean isWhole = true;
    for (ConfigTree.Entry line : entries.values()) {
      String own = path + "." + line.key();
      String name = fieldName(own, line.place(), line.key(), refused);
      List<ConfigTree> values =
          line.value() instanceof ConfigTree.Sequence sequence
              ? sequence.items()
              : List.of(line.value());
      for (ConfigTree value : values) {
        Template template = template(own, value);
        if (name == null || template == null) {
          isWhole = false;
        } else {
          lines.add(new FieldEdits.Line(name, template));
        }
      }
    }
    return isWhole ? lines : null;
  }

  // --- answers ----------------------------------------------------------------------------------

  private @Nullable LocalAnswer deny(String path, ConfigTree tree) {
    Integer status = 403;
    String text = "access denied";
    if (tree instanceof ConfigTree.Mapping) {
      Map<String, ConfigTree.Entry> entries = reader.entries(path, tree, List.of("status", "text"));
      if (entries == null) {
        return null;
      }
      ConfigTree.Entry given = entries.get("status");
      if (given != null) {
        status = reader.number(path + ".status", given.value(), 400, 599);
      }
      ConfigTree.Entry page = entries.get("text");
      if (page != null) {
        text = reader.text(path + ".text", page.value());
      }
    } else if (!(tree instanceof ConfigTree.Scalar scalar && scalar.isNull())) {
      status = reader.number(path, tree, 400, 599);
    }
    return status == null || text == null ? null : new LocalAnswer.Deny(status, text);
  }

  private @Nullable LocalAnswer redirect(String path, ConfigTree tree) {
    int status = 302;
    ConfigTree target = tree;
    String own = path;
    if (tree instanceof ConfigTree.Mapping mapping) {
      Map<String, ConfigTree.Entry> entries =
          reader.entries(path, tree, List.of("to", "map", "by", "status"));
      if (entries == null) {
        return null;
      }
      ConfigTree.Entry given = entries.get("status");
      if (given != null) {
        List<String> word =
            reader.words(path + ".status", given.value(), REDIRECTS.stream().sorted().toList());
        if (word == null || word.size() != 1) {
          return null;
        }
        status = Integer.parseInt(word.getFirst());
      }
      ConfigTree.Entry to = entries.get("to");
      ConfigTree.Entry map = entries.get("map");
      ConfigTree.Entry by = entries.get("by");
      if (to != null && map != null) {
        reader.problem(map.place(), path + ".map", "to is given as well", "keep one of them");
        return null;
      }
      if (map != null) {
        return mapRedirect(path, map, by, status);
      }
      if (by != null) {
        reader.problem(by.place(), path + ".by", "only a map is searched by something", "add map");
        return null;
      }
      if (to == null) {
        if (mapping.entries().size() == entries.size()) {
          reader.problem(tree.place(), path + ".to", "is missing", "write where to, or a map");
        }
        return null;
      }
      own = path + ".to";
      target = to.value();
    }
    Template to = template(own, target);
    if (to == null) {
      return null;
    }
    if (!to.isSafeTarget()) {
      reader.problem(
          target.place(),
          own,
          "does not say for sure which host it leads to",
          "begin with /, $path, $uri, or http:// or https:// and a host and /, $path or $uri");
      return null;
    }
    return new LocalAnswer.Redirect(status, to);
  }

  private @Nullable LocalAnswer mapRedirect(
      String path, ConfigTree.Entry map, ConfigTree.@Nullable Entry byWhat, int status) {
    RedirectMap.By by = RedirectMap.By.PATH;
    if (byWhat != null) {
      List<String> words =
          reader.words(path + ".by", byWhat.value(), List.of("path", "uri", "host-path"));
      if (words == null || words.size() != 1) {
        return null;
      }
      by = RedirectMap.By.valueOf(words.getFirst().toUpperCase(Locale.ROOT).replace('-', '_'));
    }
    String own = path + ".map";
    String name = reader.text(own, map.value());
    if (name == null) {
      return null;
    }
    MapSource source = new MapSource(name, by, status);
    ReadMap read = maps.get(source);
    if (read == null) {
      byte[] text = bodies.file(own, map.value(), RedirectMapFile.MAX_BYTES, "64MiB");
      if (text == null) {
        return null;
      }
      read =
          new ReadMap(
              new RedirectMapFile(name, own, by, status, reader).read(text), files.note(own, text));
      maps.put(source, read);
    } else {
      files.note(own, read.hash());
    }
    return read.map() == null ? null : new LocalAnswer.MapRedirect(name, read.map());
  }

  private @Nullable Template template(String path, ConfigTree tree) {
    String text = reader.text(path, tree, MAX_VALUE);
    if (text == null) {
      return null;
    }
    try {
      Template template = Template.of(text);
      if (!template.literals().chars().allMatch(c -> (c >= ' ' && c < 0x7f) || c == '\t')) {
        reader.problem(
            tree.place(), path, "has characters other than printable ASCII", "remove them");
        return null;
      }
      return template;
    } catch (IllegalArgumentException e) {
      reader.problem(tree.place(), path, String.valueOf(e.getMessage()), "");
      return null;
    }
  }

  private @Nullable LocalAnswer respond(String path, ConfigTree tree) {
    if (tree instanceof ConfigTree.Scalar) {
      Integer status = reader.number(path, tree, 200, 599);
      return status == null || !isWithoutBody(path, tree, status, new byte[0])
          ? null
          : new LocalAnswer.Respond(status, HeaderFields.EMPTY, new byte[0]);
    }
    Map<String, ConfigTree.Entry> entries =
        reader.entries(path, tree, List.of("status", "type", "text", "file", "headers"));
    if (entries == null) {
      return null;
    }
    ConfigTree.Entry given = entries.get("status");
    Integer status =
        given == null
            ? Integer.valueOf(200)
            : reader.number(path + ".status", given.value(), 200, 599);
    byte[] body =
        bodies.read(path + ".text", entries.get("text"), path + ".file", entries.get("file"));
    HeaderFields fields = fields(path, entries, body != null && body.length > 0);
    if (status == null || body == null || fields == null) {
      return null;
    }
    return isWithoutBody(path, tree, status, body)
        ? new LocalAnswer.Respond(status, fields, body)
        : null;
  }

  private boolean isWithoutBody(String path, ConfigTree tree, int status, byte[] body) {
    boolean isNotModified = status == 304 || status == 206 || status == 205;
    if (isNotModified || (status == 204 && body.length > 0)) {
      reader.problem(
          tree.place(),
          path,
          isNotModified
              ? "a rule cannot respond with " + status
              : "a response with status 204 has no body",
          "use another status");
      return false;
    }
    return true;
  }

  private @Nullable HeaderFields fields(
      String path, Map<String, ConfigTree.Entry> entries, boolean hasBody) {
    ConfigTree.Entry type = entries.get("type");
    HeaderFields.Builder out = HeaderFields.builder();
    if (type != null) {
      String value = value(path + ".type", type.value());
      if (value == null) {
        return null;
      }
      out.add("content-type", value);
    } else if (hasBody) {
      out.add("content-type", "text/plain; charset=utf-8");
    }
    ConfigTree.Entry headers = entries.get("headers");
    if (headers != null) {
      Map<String, ConfigTree.Entry> lines = reader.entries(path + ".headers", headers.value());
      if (lines == null) {
        return null;
      }
      for (ConfigTree.Entry line : lines.values()) {
        String own = path + ".headers." + line.key();
        String name = fieldName(own, line.place(), line.key(), ReservedFields.OF_RESPONSES);
        String value = value(own, line.value());
        if (name == null || value == null) {
          return null;
        }
        if (name.equals("content-type")) {
          reader.problem(line.place(), own, "it has a key of its own", "use type");
          return null;
        }
        out.add(name, value);
      }
    }
    return out.build();
  }

  private @Nullable String value(String path, ConfigTree tree) {
    String text = reader.text(path, tree, MAX_VALUE);
    if (text != null && !text.chars().allMatch(c -> (c >= ' ' && c < 0x7f) || c == '\t')) {
      reader.problem(
          tree.place(), path, "has characters other than printable ASCII", "remove them");
      return null;
    }
    return text == null ? null : text.strip();
  }

  /** The name of a field, in lower case; null after a problem. */
  private @Nullable String fieldName(
      String path, SourceLocation place, String given, Set<String> refused) {
    if (!FieldSyntax.isToken(given)) {
      reader.problem(
          place,
          path,
          "\"" + Printable.shown(given) + "\" is not the name of a header field",
          "write a name such as X-Frame-Options");
      return null;
    }
    String name = given.toLowerCase(Locale.ROOT);
    if (name.equals("host")) {
      reader.problem(place, path, "the origin has a key for it", "use host of the origin");
      return null;
    }
    if (name.equals("strict-transport-security")) {
      reader.problem(place, path, "only hsts of the route sets this field", "use hsts");
      return null;
    }
    if (refused.contains(name)) {
      reader.problem(place, path, "the node writes this field itself", "remove it");
      return null;
    }
    return name;
  }
}
