package io.forebay.server.config;

import io.forebay.server.config.Section.Shape;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes the table of keys as Markdown for people and as JSON Schema for editors. */
public final class ConfigReference {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int LINE_LENGTH = 120;
  private static final String INTERPOLATED = ".*\\$\\{.*\\}.*";

  private ConfigReference() {}

  /** What {@code docs/CONFIG.md} holds. */
  public static String markdown() {
    StringBuilder out = new StringBuilder(INTRODUCTION);
    for (Section<?> section : ConfigKeys.SECTIONS) {
      out.append("\n### ")
          .append(section.prefix().isEmpty() ? "Top level" : "`" + section.prefix() + "`")
          .append("\n\n")
          .append(wrapped(section.description()))
          .append("\n\n| Key | Type | Default | Change | Meaning |\n|---|---|---|---|---|\n");
      for (Field<?, ?> field : section.fields()) {
        row(out, section, field);
      }
    }
    return out.toString();
  }

  /** A paragraph in lines of at most 120 characters; no name in backquotes is broken. */
  private static String wrapped(String paragraph) {
    StringBuilder out = new StringBuilder(paragraph);
    int lineStart = 0;
    int lastBlank = -1;
    boolean isQuoted = false;
    for (int i = 0; i < out.length(); i++) {
      char c = out.charAt(i);
      isQuoted ^= c == '`';
      if (c == ' ' && !isQuoted) {
        lastBlank = i;
      }
      if (i - lineStart >= LINE_LENGTH && lastBlank >= lineStart) {
        out.setCharAt(lastBlank, '\n');
        lineStart = lastBlank + 1;
      }
    }
    return out.toString();
  }

  private static void row(StringBuilder out, Section<?> section, Field<?, ?> field) {
    String type = field.type().name();
    String range = field.type().range();
    String defaultText = field.defaultText();
    out.append("| `")
        .append(section.documentedPath(field))
        .append("` | ")
        .append(range.isEmpty() ? type : type + ": " + range)
        .append(" | ")
        .append(
            defaultText == null
                ? field.defaultNote()
                : defaultText.isEmpty() ? "empty" : "`" + defaultText + "`")
        .append(" | ")
        .append(field.needsRestart() ? "restart" : "reload")
        .append(" | ")
        .append(field.description())
        .append(" |\n");
  }

  /** A JSON Schema (2020-12) of the file. */
  public static String schema() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("title", "Forebay configuration");
    schema.put("type", "object");
    schema.put("additionalProperties", false);
    ObjectNode properties = schema.putObject("properties");
    for (Section<?> section : ConfigKeys.SECTIONS) {
      if (section.prefix().isEmpty()) {
        section.fields().forEach(field -> describe(properties.putObject(field.name()), field));
        continue;
      }
      if (section.shape() == Shape.LIST_IN_NAMED) {
        continue;
      }
      ObjectNode node = properties.putObject(section.prefix());
      node.put("description", plain(section.description()));
      ArrayNode shapes = node.putArray("anyOf");
      shapes.addObject().put("type", "null");
      switch (section.shape()) {
        case ONCE -> instance(shapes, section);
        case LIST -> {
          ObjectNode list = shapes.addObject();
          list.put("type", "array");
          instance(list.putObject("items").putArray("anyOf"), section);
        }
        case NAMED -> {
          ObjectNode named = shapes.addObject();
          named.put("type", "object");
          named.putObject("propertyNames").put("pattern", anchored(ValueType.NAME.pattern()));
          instance(named.putObject("additionalProperties").putArray("anyOf"), section);
        }
        case LIST_IN_NAMED -> throw new IllegalStateException(section.prefix());
      }
      if (section.shape() == Shape.LIST && !section.shortField().isEmpty()) {
        shapes.addObject().put("type", "string");
      }
    }
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(schema);
  }

  private static void instance(ArrayNode shapes, Section<?> section) {
    ObjectNode object = shapes.addObject();
    object.put("type", "object");
    object.put("additionalProperties", false);
    ObjectNode properties = object.putObject("properties");
    for (Field<?, ?> field : section.fields()) {
      int dot = field.name().indexOf('.');
      ObjectNode parent = properties;
      if (dot >= 0) {
        String group = field.name().substring(0, dot);
        if (!properties.has(group)) {
          ObjectNode created = properties.putObject(group);
          ArrayNode types = created.putArray("type").add("object").add("null");
          if (section.fieldNames().contains(group + "." + ConfigValues.SWITCH)) {
            types.add("string").add("boolean");
          }
          created.put("additionalProperties", false);
          created.putObject("properties");
        }
        parent = (ObjectNode) properties.required(group).required("properties");
      }
      describe(parent.putObject(field.name().substring(dot + 1)), field);
      if (field.isRequired()) {
        object.withArray("required").add(field.name());
      }
      if (field.name().equals(section.shortField())) {
        ObjectNode shortForm = shapes.addObject();
        describe(shortForm, field);
      }
    }
    for (Section<?> list : ConfigKeys.SECTIONS) {
      if (list.isWithin(section)) {
        listWithin(properties.putObject(list.lastPart()), list);
      }
    }
  }

  private static void listWithin(ObjectNode node, Section<?> list) {
    node.put("description", plain(list.description()));
    ArrayNode shapes = node.putArray("anyOf");
    shapes.addObject().put("type", "null");
    ObjectNode array = shapes.addObject();
    array.put("type", "array");
    instance(array.putObject("items").putArray("anyOf"), list);
    shapes.addObject().put("type", "string");
  }

  private static void describe(ObjectNode node, Field<?, ?> field) {
    String range = plain(field.type().range());
    node.put(
        "description", plain(field.description()) + (range.isEmpty() ? "" : " (" + range + ")"));
    ArrayNode shapes = node.putArray("anyOf");
    shapes
        .addObject()
        .put("type", "string")
        .put("pattern", anchored(field.type().pattern() + "|" + INTERPOLATED));
    switch (field.type().name().toLowerCase(Locale.ROOT)) {
      case "integer", "size", "duration", "pin" -> shapes.addObject().put("type", "integer");
      case "boolean" -> shapes.addObject().put("type", "boolean");
      default -> {}
    }
    if (field.type().isList() || field.type().isTree()) {
      shapes.addObject().put("type", "array");
    }
    if (field.type().isMap() || field.type().isTree()) {
      shapes.addObject().put("type", "object");
    }
    shapes.addObject().put("type", "null");
    if (field.defaultText() != null) {
      node.put("default", field.defaultText());
    }
  }

  private static String anchored(String pattern) {
    return "^(" + pattern + ")$";
  }

  private static String plain(String markdown) {
    return markdown.replace("`", "");
  }

  private static final String INTRODUCTION =
      """
      # Configuration

      <!-- Generated from the table of keys by `./dev docs`; ConfigReferenceTest fails if it is out of date. -->

      The configuration is one YAML file. Every key has a default. The shortest useful file:

      ```yaml
      origin: http://127.0.0.1:9000
      ```

      A file that uses most sections:

      ```yaml
      listen:
        - ":8080"
        - name: public
          address: ":8443"
          tls:
            certificate: /etc/forebay/tls/fullchain.pem
            key: /etc/forebay/tls/key.pem
      admin:
        address: 127.0.0.1:8081
        token: ${ADMIN_TOKEN}
      store:
        memory: 16GiB
      origins:
        site: https://site.example.com
        video:
          url: http://10.1.2.3:8000
          host: video.example.com
          timeouts:
            first-byte: 5s
        api:
          servers:
            - https://api-1.example.com
            - {url: https://api-2.example.com, weight: 2}
            - {url: https://api-3.example.com, backup: true}
      routes:
        - match: {host: video.example.com, path: /live/}
          origin: video
          default-ttl: 2s
        - match: {path: /api/}
          origin: api
        - origin: site
          stale-if-error: 1d
      access-log: stdout
      ```

      ## Where values come from

      Each source takes precedence over the previous one:

      1. the default;
      2. the file: the one named by `--config`, else `./forebay.yaml`, else `/etc/forebay/forebay.yaml`
         (the first that exists; a file is optional);
      3. the environment: `FOREBAY_` and the key in upper case, with `_` for `.` and `-`:
         `FOREBAY_STORE_MEMORY=1GiB`, `FOREBAY_LISTEN=:80,:8080`, `FOREBAY_ORIGIN=http://127.0.0.1:9000`,
         `FOREBAY_ORIGINS_VIDEO_TIMEOUTS_IDLE=5s`, `FOREBAY_ROUTES_0_DEFAULT_TTL=10s`. A variable that
         matches no key causes a warning only, because orchestrators set variables of their own;
      4. command-line options, by the same key paths.

      `FOREBAY_LISTEN` and the option `listen` replace the whole list. An empty variable counts as a value.

      In the file, `${NAME}` stands for an environment variable and must be set; `${NAME:-text}` has a default;
      `$${` stands for `${`.

      `forebay config check` reads all sources and starts nothing. `forebay config dump` prints the effective values
      and their sources. `forebay config schema` prints a JSON Schema for editors. All problems are
      reported at once, one per line with file, line, column and key. A configuration with a problem is rejected,
      both at a start (exit code 78) and at a reload.

      ## Included files

      `include: conf.d/*.yaml` names a file or a list of files, relative to the file that has it. `*` and `?` stand for
      characters of the last part of a path; files are read in the order of their names, hidden ones only if the pattern
      begins with a dot. A pattern without a match is fine, a file that is not there is not.

      Included files have the same keys, and may include others. All are read as one configuration:

      - Entries of lists (`listen`, `routes`) are appended: those of the file with `include` come first, then those of the
        files in their order.
      - Named entries (`origins`, `matchers`, `rule-sets`, `stores`, ...) and the keys of all other sections are brought
        together. The same name or key in two files is an error that names both places.
      - A file can be included once. At most 256 files, 8 levels, 1 MiB a file and 8 MiB together.

      A reload reads all of them again. The [history](ADMIN.md#accepted-configurations) keeps the texts of all, and a rollback
      puts all in force.

      ## Units

      Each key has its type, its unit and its range in *Type*. A range includes both ends.

      - size: a number of bytes, or with a unit: `64KiB`, `512MiB`, `2GiB`, `1TiB` (powers of 1024)
      - duration: a whole number with a unit: `500ms`, `10s`, `5m`, `2h`, `1d`; only 0 needs no unit
      - integer: a whole number without a unit
      - percentage: a whole number with `%`
      - address: `:8080`, `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/forebay/http.sock`

      YAML requires quotes around values that begin with `[` or `*`.

      ## Keys

      *Change*: whether a new value takes effect at a reload (SIGHUP, `POST /v1/reload`) or at the next start. A
      request in progress keeps the configuration of its start. A connection keeps the limits and timeouts of its start.
      """;
}
