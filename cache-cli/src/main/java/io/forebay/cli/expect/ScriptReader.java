package io.forebay.cli.expect;

import com.google.re2j.PatternSyntaxException;
import io.forebay.cli.expect.Expectation.Asked;
import io.forebay.cli.expect.Expectation.FieldMatch;
import io.forebay.cli.expect.Expectation.Value;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.config.ConfigTree;
import io.forebay.server.config.ConfigTree.Entry;
import io.forebay.server.config.SourceLocation;
import io.forebay.server.config.TreeReader;
import io.forebay.server.config.YamlReader;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@link Script}. Every problem is reported with its place; a script with any is not run.
 */
final class ScriptReader {
  static final int MAX_STEPS = 1000;
  static final int MAX_REPEAT = 1000;

  /** What the node's memory has room for several times. */
  static final int MAX_SIZE = 4 << 20;

  private static final int MAX_FILE_BYTES = 1 << 20;
  private static final int MAX_TEXT = 65_536;
  private static final int MAX_VALUE = 8192;
  private static final Duration MAX_AFTER = Duration.ofDays(3660);
  private static final String DEFAULT_CLIENT = "192.0.2.1";

  private static final Pattern URL =
      Pattern.compile("(https?)://([A-Za-z0-9._~\\[\\]:-]+)(/[\\x21-\\x22\\x24-\\x7e]*)?");
  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}");
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
  private static final Pattern ADDRESS =
      Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*");

  private static final List<String> TOP_KEYS =
      List.of("config", "environment", "set", "time", "origin", "origins", "steps");
  private static final List<String> STEP_KEYS =
      List.of("name", "after", "repeat", "request", "purge", "origin", "origins", "expect");
  private static final List<String> REQUEST_KEYS =
      List.of("method", "url", "headers", "body", "client", "listener");
  private static final List<String> ANSWER_KEYS =
      List.of("status", "headers", "body", "size", "ranges", "fails");
  private static final List<String> EXPECT_KEYS =
      List.of(
          "status",
          "headers",
          "absent",
          "body",
          "size",
          "breaks-off",
          "redirect",
          "cache",
          "reason",
          "route",
          "asked");
  private static final List<String> ASKED_KEYS =
      List.of("origin", "server", "method", "path", "headers", "absent", "body", "times");
  private static final List<String> PURGE_KEYS =
      List.of("url", "tag", "prefix", "host", "everything", "soft");
  private static final List<String> CACHE =
      List.of("hit", "stale", "revalidated", "joined", "miss", "pass", "synthetic", "refused");

  /** Fields that frame a message: the one who sends it writes them. */
  private static final List<String> FRAMING = List.of("content-length", "transfer-encoding");

  private final List<ConfigProblem> problems = new ArrayList<>();
  private final TreeReader reader = new TreeReader(problems);
  private final List<Value<String>> origins = new ArrayList<>();

  /** A script, or null with the problems that it has. */
  record Outcome(@Nullable Script script, List<ConfigProblem> problems) {}

  private ScriptReader() {}

  static Outcome read(Path file) {
    ScriptReader reading = new ScriptReader();
    Script script = reading.script(file);
    return new Outcome(reading.problems.isEmpty() ? script : null, reading.problems);
  }

  private @Nullable Script script(Path file) {
    String text = text(file);
    if (text == null) {
      return null;
    }
    ConfigTree tree = new YamlReader(file.toString(), problems).read(text);
    if (tree == null) {
      if (problems.isEmpty()) {
        problems.add(new ConfigProblem(file.toString(), 0, 0, "", "has no steps", "add steps"));
      }
      return null;
    }
    Map<String, Entry> entries = reader.entries("script", tree, TOP_KEYS);
    if (entries == null) {
      return null;
    }
    Path directory = file.toAbsolutePath().getParent();
    Path base = directory == null ? Path.of("/") : directory;
    String config = text(entries, "", "config");
    Entry steps = entries.get("steps");
    if (steps == null) {
      reader.problem(tree.place(), "steps", "is missing", "list at least one step");
    }
    return new Script(
        file,
        config == null ? null : base.resolve(config).normalize(),
        texts(entries, "environment"),
        settings(entries, base),
        start(entries),
        answers("origin", entries.get("origin")),
        answersByOrigin("origins", entries.get("origins")),
        steps == null ? List.of() : steps(steps.value()),
        origins);
  }

  private @Nullable String text(Path file) {
    String why;
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        why = "larger than 1MiB";
      } else {
        return Files.readString(file);
      }
    } catch (NoSuchFileException e) {
      why = "no such file";
    } catch (CharacterCodingException e) {
      why = "not UTF-8";
    } catch (IOException e) {
      why = String.valueOf(e.getMessage());
    }
    problems.add(new ConfigProblem(file.toString(), 0, 0, "", "cannot be read: " + why, ""));
    return null;
  }

  private Map<String, String> settings(Map<String, Entry> entries, Path base) {
    Map<String, String> settings = texts(entries, "set");
    // A file beside the script, wherever the command runs.
    settings.replaceAll((key, value) ->
        value.startsWith("./") ? base.resolve(value).normalize().toString() : value);
    return settings;
  }

  private Map<String, String> texts(Map<String, Entry> entries, String key) {
    Map<String, String> texts = new LinkedHashMap<>();
    Entry entry = entries.get(key);
    Map<String, Entry> inner = entry == null ? null : reader.entries(key, entry.value());
    if (inner != null) {
      for (Entry one : inner.values()) {
        String text = reader.text(key + "." + one.key(), one.value(), MAX_VALUE);
        if (text != null) {
          texts.put(one.key(), text);
        }
      }
    }
    return texts;
  }

  private @Nullable Instant start(Map<String, Entry> entries) {
    Entry entry = entries.get("time");
    String text = entry == null ? null : reader.text("time", entry.value());
    if (entry == null || text == null) {
      return null;
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      reader.problem(
          entry.value().place(),
          "time",
          "\"" + Printable.shown(text) + "\" is not a time",
          "write one such as 2026-01-31T12:00:00Z");
      return null;
    }
  }

  private List<Step> steps(ConfigTree tree) {
    if (!(tree instanceof ConfigTree.Sequence sequence)) {
      reader.problem(tree.place(), "steps", "not a list", "begin each step with a dash");
      return List.of();
    }
    if (sequence.items().isEmpty() || sequence.items().size() > MAX_STEPS) {
      reader.problem(
          tree.place(),
          "steps",
          sequence.items().size() + " steps",
          "write 1 to " + MAX_STEPS + " of them");
      return List.of();
    }
    List<Step> steps = new ArrayList<>();
    for (ConfigTree item : sequence.items()) {
      Step step = step("steps." + steps.size(), item, steps.size() + 1);
      if (step == null) {
        return steps;
      }
      steps.add(step);
    }
    return steps;
  }

  private @Nullable Step step(String path, ConfigTree tree, int number) {
    Map<String, Entry> entries = reader.entries(path, tree, STEP_KEYS);
    if (entries == null) {
      return null;
    }
    Entry request = entries.get("request");
    Entry purge = entries.get("purge");
    Entry expect = entries.get("expect");
    if ((request == null) == (purge == null)) {
      reader.problem(
          tree.place(),
          path,
          request == null ? "neither request nor purge" : "both request and purge",
          "give each step one of them");
    }
    if (expect != null && request == null) {
      reader.problem(expect.place(), path + ".expect", "nothing is requested", "remove it");
    }
    String name = text(entries, path + ".", "name");
    return new Step(
        name == null ? "step " + number : Printable.shown(name, 200),
        tree.place(),
        duration(path, entries.get("after")),
        number(path, entries.get("repeat"), 1, MAX_REPEAT, 1),
        request == null ? null : request(path + ".request", request.value()),
        purge == null ? null : purge(path + ".purge", purge.value()),
        answers(path + ".origin", entries.get("origin")),
        answersByOrigin(path + ".origins", entries.get("origins")),
        expect == null ? Expectation.NOTHING : expected(path + ".expect", expect.value()));
  }

  private Duration duration(String path, @Nullable Entry entry) {
    String text = entry == null ? null : reader.text(path + ".after", entry.value());
    if (entry == null || text == null) {
      return Duration.ZERO;
    }
    Matcher parts = DURATION.matcher(text);
    if (parts.matches()) {
      long count = Long.parseLong(parts.group(1));
      Duration duration =
          switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
          };
      if (duration.compareTo(MAX_AFTER) <= 0) {
        return duration;
      }
    }
    reader.problem(
        entry.value().place(),
        path + ".after",
        "\"" + Printable.shown(text) + "\" is not a duration up to 3660d",
        "write one such as 500ms, 60s, 5m, 2h or 1d");
    return Duration.ZERO;
  }

  private int number(String path, @Nullable Entry entry, int min, int max, int otherwise) {
    Integer number =
        entry == null ? null : reader.number(path + "." + entry.key(), entry.value(), min, max);
    return number == null ? otherwise : number;
  }

  private @Nullable String text(Map<String, Entry> entries, String prefix, String key) {
    Entry entry = entries.get(key);
    return entry == null ? null : reader.text(prefix + key, entry.value());
  }

  private String longText(Map<String, Entry> entries, String prefix, String key) {
    Entry entry = entries.get(key);
    String text = entry == null ? null : reader.text(prefix + key, entry.value(), MAX_TEXT);
    return text == null ? "" : text;
  }

  // Requests.

  private Step.@Nullable Request request(String path, ConfigTree tree) {
    if (tree instanceof ConfigTree.Scalar scalar && !scalar.isNull()) {
      // GET https://www.example.com/
      String[] words = scalar.text().strip().split("\\s+", -1);
      Step.Url url = url(path, tree, words[words.length - 1]);
      String method = words.length == 2 ? words[0] : "GET";
      if (words.length > 2 || !TOKEN.matcher(method).matches()) {
        reader.problem(
            tree.place(), path, "not a method and a URL", "write GET http://www.example.com/");
      }
      return url == null
          ? null
          : new Step.Request(method, url, List.of(), "", DEFAULT_CLIENT, false, null, tree.place());
    }
    Map<String, Entry> entries = reader.entries(path, tree, REQUEST_KEYS);
    if (entries == null) {
      return null;
    }
    String text = text(entries, path + ".", "url");
    Entry entry = entries.get("url");
    if (entry == null) {
      reader.problem(
          tree.place(), path + ".url", "is missing", "write one such as http://www.example.com/");
      return null;
    }
    Step.Url url = text == null ? null : url(path + ".url", entry.value(), text);
    String method = text(entries, path + ".", "method");
    if (method != null && !TOKEN.matcher(method).matches()) {
      reader.problem(
          tree.place(), path + ".method", Printable.shown(method) + " is not a method", "");
    }
    String client = text(entries, path + ".", "client");
    if (client != null && !ADDRESS.matcher(client).matches()) {
      reader.problem(
          tree.place(),
          path + ".client",
          "\"" + Printable.shown(client) + "\" is not an address",
          "write one such as 203.0.113.7 or 2001:db8::7");
    }
    return url == null
        ? null
        : new Step.Request(
            method == null ? "GET" : method,
            url,
            fields(path + ".headers", entries.get("headers")),
            longText(entries, path + ".", "body"),
            client == null ? DEFAULT_CLIENT : client,
            client != null,
            text(entries, path + ".", "listener"),
            tree.place());
  }

  private Step.@Nullable Url url(String path, ConfigTree tree, String text) {
    Matcher parts = URL.matcher(text);
    if (!parts.matches()) {
      reader.problem(
          tree.place(),
          path,
          "\"" + Printable.shown(text) + "\" is not an absolute URL",
          "write one such as http://www.example.com/a?b=c");
      return null;
    }
    String target = parts.group(3);
    return new Step.Url(
        String.valueOf(parts.group(1)),
        String.valueOf(parts.group(2)),
        target == null ? "/" : target);
  }

  private List<HeaderLine> fields(String path, @Nullable Entry entry) {
    List<HeaderLine> fields = new ArrayList<>();
    Map<String, Entry> entries = entry == null ? null : reader.entries(path, entry.value());
    if (entries == null) {
      return fields;
    }
    for (Entry one : entries.values()) {
      String own = path + "." + one.key();
      name(own, one);
      if (FRAMING.contains(one.key().toLowerCase(Locale.ROOT))) {
        reader.problem(one.place(), own, "is written by who sends the message", "remove it");
      }
      List<ConfigTree> lines =
          one.value() instanceof ConfigTree.Sequence sequence
              ? sequence.items()
              : List.of(one.value());
      for (ConfigTree line : lines) {
        String value = reader.text(own, line, MAX_VALUE);
        if (value != null && value.chars().anyMatch(c -> c == '\r' || c == '\n' || c == 0)) {
          reader.problem(line.place(), own, "more than one line", "write a list of values");
        } else if (value != null) {
          fields.add(new HeaderLine(one.key(), value));
        }
      }
    }
    return fields;
  }

  private void name(String path, Entry entry) {
    if (!TOKEN.matcher(entry.key()).matches()) {
      reader.problem(
          entry.place(),
          path,
          "\"" + Printable.shown(entry.key()) + "\" is not the name of a field",
          "");
    }
  }

  private Step.@Nullable Purge purge(String path, ConfigTree tree) {
    Map<String, Entry> entries = reader.entries(path, tree, PURGE_KEYS);
    if (entries == null) {
      return null;
    }
    Map<String, Object> order = new LinkedHashMap<>();
    for (Map.Entry<String, String> kind :
        Map.of("url", "urls", "tag", "tags", "prefix", "prefixes", "host", "hosts").entrySet()) {
      Entry entry = entries.get(kind.getKey());
      List<String> texts =
          entry == null ? null : reader.texts(path + "." + kind.getKey(), entry.value());
      if (texts != null) {
        order.put(kind.getValue(), texts);
      }
    }
    if (isTrue(path, entries.get("everything"))) {
      order.put("everything", true);
    }
    if (order.isEmpty() && problems.isEmpty()) {
      reader.problem(
          tree.place(), path, "names nothing", "add url, tag, prefix, host or everything: true");
    }
    if (isTrue(path, entries.get("soft"))) {
      order.put("soft", true);
    }
    return new Step.Purge(order, tree.place());
  }

  private boolean isTrue(String path, @Nullable Entry entry) {
    List<String> words =
        entry == null
            ? null
            : reader.words(path + "." + entry.key(), entry.value(), List.of("true", "false"));
    return words != null && words.equals(List.of("true"));
  }

  // Answers.

  private Map<String, List<ScriptedAnswer>> answersByOrigin(String path, @Nullable Entry entry) {
    Map<String, List<ScriptedAnswer>> answers = new LinkedHashMap<>();
    Map<String, Entry> entries = entry == null ? null : reader.entries(path, entry.value());
    if (entries != null) {
      for (Entry one : entries.values()) {
        answers.put(one.key(), answers(path + "." + one.key(), one));
        origins.add(new Value<>(one.key(), one.place()));
      }
    }
    return answers;
  }

  /** One answer or a list of them. */
  private List<ScriptedAnswer> answers(String path, @Nullable Entry entry) {
    List<ScriptedAnswer> answers = new ArrayList<>();
    if (entry == null) {
      return answers;
    }
    List<ConfigTree> trees =
        entry.value() instanceof ConfigTree.Sequence sequence
            ? sequence.items()
            : List.of(entry.value());
    if (trees.isEmpty() || trees.size() > MAX_STEPS) {
      reader.problem(
          entry.place(), path, trees.size() + " answers", "write 1 to " + MAX_STEPS + " of them");
      return answers;
    }
    for (ConfigTree tree : trees) {
      ScriptedAnswer answer = answer(path, tree);
      if (answer != null) {
        answers.add(answer);
      }
    }
    return answers;
  }

  private @Nullable ScriptedAnswer answer(String path, ConfigTree tree) {
    Map<String, Entry> entries = reader.entries(path, tree, ANSWER_KEYS);
    if (entries == null) {
      return null;
    }
    Entry size = entries.get("size");
    if (size != null && entries.containsKey("body")) {
      reader.problem(size.place(), path + ".size", "body is given as well", "keep one of them");
    }
    ScriptedAnswer.Failure failure = null;
    Entry fails = entries.get("fails");
    List<String> word =
        fails == null
            ? null
            : reader.words(path + ".fails", fails.value(), List.of("closes", "breaks-off"));
    if (word != null) {
      failure =
          word.getFirst().equals("closes")
              ? ScriptedAnswer.Failure.CLOSES
              : ScriptedAnswer.Failure.BREAKS_OFF;
    }
    return new ScriptedAnswer(
        number(path, entries.get("status"), 100, 599, 200),
        fields(path + ".headers", entries.get("headers")),
        longText(entries, path + ".", "body"),
        number(path, size, 0, MAX_SIZE, -1),
        isTrue(path, entries.get("ranges")),
        failure);
  }

  // Expectations.

  private Expectation expected(String path, ConfigTree tree) {
    Map<String, Entry> entries = reader.entries(path, tree, EXPECT_KEYS);
    if (entries == null) {
      return Expectation.NOTHING;
    }
    Entry status = entries.get("status");
    Entry size = entries.get("size");
    Entry asked = entries.get("asked");
    Entry route = entries.get("route");
    String routeName = text(entries, path + ".", "route");
    return new Expectation(
        status == null ? null : new Value<>(number(path, status, 100, 599, 200), status.place()),
        matches(path + ".headers", entries.get("headers")),
        names(path + ".absent", entries.get("absent")),
        match(path + ".body", entries.get("body")),
        size == null
            ? null
            : new Value<>(number(path, size, 0, Integer.MAX_VALUE, 0), size.place()),
        isTrue(path, entries.get("breaks-off")),
        match(path + ".redirect", entries.get("redirect")),
        words(path, entries.get("cache"), CACHE),
        words(path, entries.get("reason"), List.of()),
        route == null || routeName == null ? null : new Value<>(routeName, route.place()),
        asked == null ? null : new Value<>(asked(path + ".asked", asked.value()), asked.place()));
  }

  /** Words, of those that are known where there are any. */
  private @Nullable Value<List<String>> words(
      String path, @Nullable Entry entry, List<String> known) {
    if (entry == null) {
      return null;
    }
    String own = path + "." + entry.key();
    List<String> words =
        known.isEmpty()
            ? reader.texts(own, entry.value())
            : reader.words(own, entry.value(), known);
    return words == null ? null : new Value<>(words, entry.place());
  }

  private List<FieldMatch> matches(String path, @Nullable Entry entry) {
    List<FieldMatch> matches = new ArrayList<>();
    Map<String, Entry> entries = entry == null ? null : reader.entries(path, entry.value());
    if (entries != null) {
      for (Entry one : entries.values()) {
        name(path + "." + one.key(), one);
        TextMatch match = match(path + "." + one.key(), one);
        if (match != null) {
          matches.add(new FieldMatch(one.key(), match));
        }
      }
    }
    return matches;
  }

  private List<Value<String>> names(String path, @Nullable Entry entry) {
    List<String> names = entry == null ? null : reader.texts(path, entry.value());
    if (entry == null || names == null) {
      return List.of();
    }
    return names.stream().map(name -> new Value<>(name, entry.place())).toList();
  }

  /** A text, or a mapping with {@code glob} or {@code regex}. */
  private @Nullable TextMatch match(String path, @Nullable Entry entry) {
    if (entry == null) {
      return null;
    }
    SourceLocation place = entry.place();
    if (entry.value() instanceof ConfigTree.Scalar) {
      String text = reader.text(path, entry.value(), MAX_TEXT);
      return text == null ? null : TextMatch.exact(text, place);
    }
    Map<String, Entry> entries = reader.entries(path, entry.value(), List.of("glob", "regex"));
    if (entries == null) {
      return null;
    }
    if (entries.size() != 1) {
      reader.problem(
          entry.place(), path, "neither a text nor one of glob and regex", "write one of them");
      return null;
    }
    Entry one = entries.values().iterator().next();
    String text = reader.text(path + "." + one.key(), one.value());
    if (text == null) {
      return null;
    }
    try {
      return one.key().equals("glob") ? TextMatch.glob(text, place) : TextMatch.regex(text, place);
    } catch (PatternSyntaxException e) {
      reader.problem(
          one.value().place(),
          path + ".regex",
          "not a regular expression of RE2",
          e.getDescription());
      return null;
    }
  }

  private List<Asked> asked(String path, ConfigTree tree) {
    if (tree instanceof ConfigTree.Scalar scalar && !scalar.isNull()) {
      String text = scalar.text().strip();
      if (text.equals("none")) {
        return List.of();
      }
      SourceLocation place = tree.place();
      origins.add(new Value<>(text, place));
      return List.of(new Asked(text, 0, null, null, List.of(), List.of(), null, 1, place));
    }
    List<ConfigTree> trees =
        tree instanceof ConfigTree.Sequence sequence ? sequence.items() : List.of(tree);
    List<Asked> asked = new ArrayList<>();
    for (ConfigTree one : trees) {
      Map<String, Entry> entries = reader.entries(path, one, ASKED_KEYS);
      if (entries != null) {
        Entry named = entries.get("origin");
        String origin = text(entries, path + ".", "origin");
        if (named != null && origin != null) {
          origins.add(new Value<>(origin, named.place()));
        }
        asked.add(
            new Asked(
                origin,
                number(path, entries.get("server"), 1, 64, 0),
                text(entries, path + ".", "method"),
                match(path + ".path", entries.get("path")),
                matches(path + ".headers", entries.get("headers")),
                names(path + ".absent", entries.get("absent")),
                match(path + ".body", entries.get("body")),
                number(path, entries.get("times"), 0, MAX_REPEAT, 1),
                one.place()));
      }
    }
    return asked;
  }
}
