package io.forebay.cli.bundle;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Takes secrets out of texts and of JSON. Immutable.
 *
 * <p>Four ways to find one, each for what the others miss: secrets that are known, wherever and in
 * whatever coding they stand; what stands where secrets do (userinfo of URLs, values of parameters,
 * credentials of fields, private keys); values whose names say so; and what looks random. Masking
 * too much is the lesser harm.
 */
final class Redactor {
  static final String MASK = "***";

  /** Shorter ones would hide words everywhere. */
  private static final int MIN_SECRET = 4;

  private static final String SECRET_NAME =
      "(?:passw|passphrase|pwd|secret|token|credential|api[-_.]?key|access[-_.]?key|private[-_.]?key"
          + "|auth[-_.]?key|signature|session[-_.]?(?:id|key)|hmac|eab[-_.])";

  private static final String CREDENTIALS = "(?i)((?:(?:proxy-)?authorization|(?:set-)?cookie)";

  /** A name that says so, of no file; a group that what follows it has to close. */
  private static final String NAMED =
      "(?i)(" + SECRET_NAME + "(?![A-Za-z0-9_.-]{0,64}file)[A-Za-z0-9_.-]{0,64}(?<!\\.java)";

  private static final Pattern SECRET_MEMBER =
      Pattern.compile("(?i).*" + SECRET_NAME + ".*|key|keys|sig|auth|(proxy-)?authorization");

  /** Names of files are not what they contain. */
  private static final Pattern FILE_MEMBER = Pattern.compile("(?i).*(?:file|path|url|names?)");

  /** Members of the configuration below which names are those of fields, cookies or parameters. */
  private static final Set<String> FIELD_MEMBERS =
      Set.of("set", "add", "default", "header", "headers", "cookie", "cookies", "query");

  /** Behind the URL of a key stand values of fields and cookies that are part of it. */
  private static final Pattern KEY_WITH_MORE =
      Pattern.compile("([a-z]+://\\S+) .*", Pattern.DOTALL);

  private static final Pattern QUOTED =
      Pattern.compile("\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|'[^']*'");

  /** Fields of HTTP whose values are none of anybody's secrets. */
  private static final Pattern OPEN_FIELD =
      Pattern.compile(
          "(?i)accept(-.*)?|age|allow|cache-control|cache-status|cdn-cache-control|cdn-loop|connection"
              + "|content-(encoding|language|length|range|type)|date|etag|expires|host|if-.*"
              + "|last-modified|range|retry-after|server|transfer-encoding|vary|via|warning");

  private record Rule(Pattern pattern, String replacement) {}

  private static final List<Rule> RULES =
      List.of(
          new Rule(
              Pattern.compile(
                  "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[^-]{0,20000}+"
                      + "(?:-(?!----END)[^-]{0,20000}+){0,50}(?:-----END [A-Z0-9 ]{0,40}-----)?"),
              MASK),
          // The last @ before the path ends what is user and password.
          new Rule(Pattern.compile("://[^/?#\\s\"'<>]{1,1000}@"), "://" + MASK + "@"),
          // Quoted, as in JSON; then to the end of the line, as in a head.
          new Rule(
              Pattern.compile(
                  CREDENTIALS
                      + "\\\\?[\"']\\s{0,8}[:=,]\\s{0,8}+\\\\?[\"'])"
                      + "[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+"),
              "$1" + MASK),
          new Rule(
              Pattern.compile(CREDENTIALS + "\\s{0,8}[:=,]\\s{0,8}+)(?![\"'\\\\{\\[])[^\\r\\n]+"),
              "$1" + MASK),
          new Rule(
              Pattern.compile("(?i)\\b(bearer|basic|negotiate)\\s{1,8}[A-Za-z0-9._~+/=-]{6,8000}"),
              "$1 " + MASK),
          new Rule(
              Pattern.compile("([?&;#][A-Za-z0-9._~%\\[\\]-]{1,128}=)[^&;#\\s\"'<>\\\\]{1,8000}"),
              "$1" + MASK),
          new Rule(
              Pattern.compile(
                  NAMED + "\\s{0,8}=\\s{0,8}+\\\\?[\"']?)[^\\s\"',;&}\\])\\\\]{1,8000}"),
              "$1" + MASK),
          // As in YAML and in fields: to the end of the line, or of the quotes.
          new Rule(
              Pattern.compile(
                  NAMED + "\\\\?[\"']?\\s{0,8}:\\s{0,8}+\\\\?[\"']?)[^\"'\\r\\n\\\\]{1,8000}"),
              "$1" + MASK),
          new Rule(
              Pattern.compile(
                  "eyJ[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{4,8000}(?:\\.[A-Za-z0-9_-]{0,8000})?"),
              MASK),
          new Rule(Pattern.compile("\\b(?:AKIA|ASIA)[A-Z0-9]{12,20}\\b"), MASK));

  private static final Pattern LONG_WORD = Pattern.compile("[A-Za-z0-9_+/=-]{20,}");
  private static final int LONG_HEXADECIMAL = 40;
  private static final int LONGEST_NAME = 300;
  private static final double RANDOM_CHANGES = 0.45;

  private final List<String> known;

  /**
   * Masks these wherever they stand, beside all that looks like a secret.
   *
   * @param secrets as they are
   */
  Redactor(Collection<String> secrets) {
    Set<String> all = new LinkedHashSet<>();
    for (String secret : secrets) {
      String text = secret.strip();
      if (text.length() >= MIN_SECRET) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        String quoted = JsonNodeFactory.instance.stringNode(text).toString();
        all.add(text);
        all.add(URLEncoder.encode(text, StandardCharsets.UTF_8));
        all.add(URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20"));
        all.add(quoted.substring(1, quoted.length() - 1));
        all.add(Base64.getEncoder().withoutPadding().encodeToString(bytes));
        all.add(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
      }
    }
    // One that contains another goes first.
    known = all.stream().sorted(Comparator.comparingInt(String::length).reversed()).toList();
  }

  /** A text of any form. */
  String text(String text) {
    String masked = withoutKnown(text);
    for (Rule rule : RULES) {
      masked = rule.pattern.matcher(masked).replaceAll(rule.replacement);
    }
    return replaced(LONG_WORD, masked, word -> isRandom(word) ? MASK : word);
  }

  private String withoutKnown(String text) {
    String masked = text;
    for (String secret : known) {
      masked = masked.replace(secret, MASK);
    }
    return masked;
  }

  /** JSON of any form, in lines, which is JSON again. */
  String json(JsonNode node) {
    return withoutKnown(masked(node, "").toPrettyString()) + "\n";
  }

  private JsonNode masked(JsonNode node, String name) {
    return switch (node) {
      case ObjectNode object -> {
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        object
            .properties()
            .forEach(one -> copy.set(text(one.getKey()), member(one.getValue(), one.getKey())));
        // A body that the node answers by itself.
        if (object.has("text") && (object.has("type") || object.has("status"))) {
          copy.set("text", leaves(object.path("text")));
        }
        yield copy;
      }
      case ArrayNode array -> {
        ArrayNode copy = JsonNodeFactory.instance.arrayNode();
        boolean isPair = array.size() == 2 && array.get(0).isString() && array.get(1).isString();
        if (isPair && name.equals("fields")) {
          String field = array.get(0).asString("");
          copy.add(text(field));
          copy.add(OPEN_FIELD.matcher(field).matches() ? text(array.get(1).asString("")) : MASK);
          yield copy;
        }
        array.forEach(item -> copy.add(masked(item, name)));
        yield copy;
      }
      default -> node.isString() ? string(node.asString(""), name) : node;
    };
  }

  private JsonNode member(JsonNode value, String name) {
    if (SECRET_MEMBER.matcher(name).matches() && !FILE_MEMBER.matcher(name).matches()) {
      // The key of a cache is an object or a URL; URLs are masked as such.
      boolean isCacheKey =
          name.equals("key") && (value.isObject() || value.asString("").contains("://"));
      if (!isCacheKey && !(value.isNumber() || value.isBoolean())) {
        return leaves(value);
      }
    }
    return value.isObject() && FIELD_MEMBERS.contains(name) ? leaves(value) : masked(value, name);
  }

  /** All texts below hidden, names kept. */
  private static JsonNode leaves(JsonNode node) {
    return switch (node) {
      case ObjectNode object -> {
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        object.properties().forEach(member -> copy.set(member.getKey(), leaves(member.getValue())));
        yield copy;
      }
      case ArrayNode array -> {
        ArrayNode copy = JsonNodeFactory.instance.arrayNode();
        array.forEach(item -> copy.add(leaves(item)));
        yield copy;
      }
      default ->
          node.isString() && !node.asString("").isEmpty()
              ? JsonNodeFactory.instance.stringNode(MASK)
              : node;
    };
  }

  private JsonNode string(String text, String name) {
    if (name.equals("expression")) {
      return JsonNodeFactory.instance.stringNode(
          text(replaced(QUOTED, text, quoted -> quoted.charAt(0) + MASK + quoted.charAt(0))));
    }
    Matcher key = KEY_WITH_MORE.matcher(text);
    if ((name.equals("key") || name.equals("text")) && key.matches()) {
      return JsonNodeFactory.instance.stringNode(text(key.group(1)) + " " + MASK);
    }
    int colon = text.indexOf(':');
    if (name.equals("fields") && colon > 0) {
      String field = text.substring(0, colon);
      return JsonNodeFactory.instance.stringNode(
          OPEN_FIELD.matcher(field).matches() ? text(text) : text(field) + ": " + MASK);
    }
    return JsonNodeFactory.instance.stringNode(text(text));
  }

  private static String replaced(Pattern pattern, String text, UnaryOperator<String> change) {
    return pattern
        .matcher(text)
        .replaceAll(match -> Matcher.quoteReplacement(change.apply(match.group())));
  }

  /** Names change between letters and digits seldom, random words at almost every character. */
  static boolean isRandom(String word) {
    if (word.length() > LONGEST_NAME) {
      return true;
    }
    if (word.length() >= LONG_HEXADECIMAL && word.matches("[0-9a-f]+|[0-9A-F]+")) {
      return true;
    }
    int changes = 0;
    List<Integer> kinds = new ArrayList<>();
    for (int i = 0; i < word.length(); i++) {
      int kind = Character.getType(word.charAt(i));
      if (i > 0 && kind != Character.getType(word.charAt(i - 1))) {
        changes++;
      }
      if (!kinds.contains(kind)) {
        kinds.add(kind);
      }
    }
    boolean isMixed =
        kinds.contains((int) Character.UPPERCASE_LETTER)
            && kinds.contains((int) Character.LOWERCASE_LETTER)
            && kinds.contains((int) Character.DECIMAL_DIGIT_NUMBER);
    return isMixed && changes >= word.length() * RANDOM_CHANGES;
  }

  /** Whether a name is that of a secret, such as of a variable of the environment. */
  static boolean isSecretName(String name) {
    return SECRET_MEMBER.matcher(name.toLowerCase(Locale.ROOT)).matches();
  }
}
