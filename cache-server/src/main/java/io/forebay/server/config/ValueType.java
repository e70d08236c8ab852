package io.forebay.server.config;

import io.forebay.core.http.AcceptClasses;
import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HopByHop;
import io.forebay.core.http.TargetNormalizer;
import io.forebay.core.http.Trailers;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.core.key.NamePatterns;
import io.forebay.core.route.NegativeTtl;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.TierConfig;
import io.forebay.server.text.Printable;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The type of a configuration value: how it is parsed, printed and described in the reference and
 * in the JSON Schema.
 *
 * @param name in the reference
 * @param range allowed values within the type, with their unit; empty if the name is sufficient
 * @param pattern regular expression of the texts a JSON Schema accepts, without anchors
 * @param placeholder replaces an invalid value, so that all problems are found in one pass; never
 *     part of an accepted configuration
 */
record ValueType<T>(
    String name,
    String range,
    String pattern,
    T placeholder,
    Reader<T> reader,
    Function<T, String> printer) {

  static final ValueType<Boolean> BOOLEAN =
      new ValueType<>(
          "boolean",
          "`true` or `false`",
          "true|false|yes|no|on|off",
          false,
          text ->
              switch (text.toLowerCase(Locale.ROOT)) {
                case "true", "yes", "on" -> true;
                case "false", "no", "off" -> false;
                default -> throw wrong(text, "neither true nor false", "write true or false");
              },
          String::valueOf);

  /** A boolean that reads better as {@code on} or {@code off}. */
  static final ValueType<Boolean> ON_OFF =
      new ValueType<>(
          "switch",
          "`on` or `off`",
          "on|off|true|false|yes|no",
          false,
          text ->
              switch (text.toLowerCase(Locale.ROOT)) {
                case "true", "yes", "on" -> true;
                case "false", "no", "off" -> false;
                default -> throw wrong(text, "neither on nor off", "write on or off");
              },
          value -> value ? "on" : "off");

  static final ValueType<Address> ADDRESS =
      new ValueType<>(
          "address",
          "`HOST:PORT`, `:PORT` for all addresses, or `unix:FILE`; port 0 selects a free port",
          "\\S*:[0-9]{1,5}|unix:.+",
          new Address("*", 0),
          ValueType::address,
          ValueType::print);

  static final ValueType<String> ORIGIN_URL =
      new ValueType<>(
          "origin URL",
          "`http://HOST[:PORT][/BASE/]`, `https://HOST[:PORT][/BASE/]`, `http+srv://NAME[/BASE/]`,"
              + " `https+srv://NAME[/BASE/]` or `unix:FILE[:/BASE/]`",
          "https?(\\+srv)?://\\S+|unix:/.+",
          "http://localhost:80",
          ValueType::originUrl,
          text -> text);

  static final ValueType<Path> PATH =
      new ValueType<>(
          "path",
          "a relative path starts at the working directory",
          ".+",
          Path.of("."),
          ValueType::path,
          Path::toString);

  static final ValueType<String> TEXT =
      new ValueType<>("text", "1 to 255 visible characters", ".+", "-", ValueType::text, t -> t);

  /** A name that is a metric label, a log field and a part of a key path. */
  static final ValueType<String> NAME =
      matching(
          "name",
          "1 to 64 letters, digits, `-` or `_`",
          "[A-Za-z0-9_-]{1,64}",
          "name",
          "write a name such as main");

  static final ValueType<String> TOKEN =
      matching(
          "secret",
          "16 to 512 visible ASCII characters",
          "[!-~]{16,512}",
          "0123456789abcdef",
          "use a long random one, such as 32 hexadecimal digits");

  /** What a challenge names (RFC 9110 §11.5). */
  static final ValueType<String> REALM =
      matching(
          "text",
          "1 to 100 printable ASCII characters except `\"` and `\\`",
          "[ -!#-\\[\\]-~]{1,100}",
          "-",
          "use letters, digits and blanks");

  static final ValueType<Secret> SECRET_VALUE =
      secret(
          "1 to 4096 visible ASCII characters, with blanks between them",
          "[!-~]([ -~]{0,4094}[!-~])?",
          "use plain ASCII, on one line");
  static final ValueType<Secret> SECRET_KEY =
      secret("1 to 512 visible ASCII characters", "[!-~]{1,512}", "copy it as it was issued");
  static final ValueType<Secret> HMAC_KEY =
      secret(
          TOKEN.range(), TOKEN.pattern(), "use a long random one, such as 64 hexadecimal digits");

  /** A request field that neither framing nor caching depends on. */
  static final ValueType<String> STATIC_FIELD =
      new ValueType<>(
          "field",
          "name of a header field, except those that the node itself writes or evaluates",
          "[A-Za-z0-9][A-Za-z0-9_-]{0,127}",
          "x-field",
          ValueType::staticField,
          text -> text);

  static final ValueType<String> BUCKET =
      matching(
          "bucket",
          "3 to 255 letters, digits, `.`, `-` or `_`",
          "[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]",
          "bucket",
          "write the name of a bucket such as media");
  static final ValueType<String> REGION =
      matching(
          "region",
          "1 to 64 letters, digits or `-`",
          "[A-Za-z0-9-]{1,64}",
          "region",
          "write a region such as eu-central-1");
  static final ValueType<String> ACCESS_KEY =
      matching(
          "access key",
          "1 to 128 visible ASCII characters except `,`, `/` and `=`",
          "[!-+.0-<>-~-]{1,128}",
          "key",
          "copy the id of the key, not its secret");

  static final ValueType<String> PSEUDONYM =
      matching(
          "token",
          "1 to 64 letters, digits, `-`, `_` or `.`",
          "[A-Za-z0-9._-]{1,64}",
          "node",
          "write a name such as edge-1");

  static final ValueType<String> ROUTE_HOST =
      new ValueType<>(
          "host pattern",
          "`*`, `NAME[:PORT]` or `*.NAME[:PORT]`",
          "\\*|(\\*\\.)?[A-Za-z0-9._-]+(:[0-9]{1,5})?|\\[[0-9A-Fa-f:.]+\\](:[0-9]{1,5})?",
          "*",
          ValueType::routeHost,
          text -> text);

  static final ValueType<String> PATH_PREFIX =
      new ValueType<>(
          "path prefix",
          "starts with `/`, in normal form",
          "/[!-\"$->@-~]{0,1023}",
          "/",
          ValueType::pathPrefix,
          text -> text);

  private static final String OF_TREES = "see [RULES.md](RULES.md)";

  static final ValueType<String> CONDITION = tree("condition");
  static final ValueType<String> RULES = tree("rules");
  static final ValueType<String> SAMPLING = tree("sampling");
  static final ValueType<String> PAGES = tree("pages");
  static final ValueType<String> PAGE = tree("page");
  static final ValueType<String> CORS = tree("CORS policy");
  static final ValueType<String> SECURITY_HEADERS = tree("preset");

  static final ValueType<String> PIN =
      new ValueType<>(
          "pin",
          "`auto`, `off` or CPU numbers such as `0,2`",
          "auto|off|[0-9]+(,[0-9]+)*",
          "auto",
          ValueType::pin,
          text -> text);

  static final ValueType<String> SHARE =
      matching(
          "share",
          "`auto`, or 0 to 0.95 with at most two decimals",
          "auto|0|0?\\.[0-8][0-9]?|0?\\.9[0-5]?",
          "auto",
          "write auto or a share such as 0.5");

  static final ValueType<List<String>> INCLUDES =
      list(
          "list of files",
          "paths, relative to the file that has the key; `*` and `?` in the last part",
          text -> true,
          false,
          "write names such as conf.d/*.yaml");
  static final ValueType<List<String>> NETWORKS =
      new ValueType<>(
          "list of networks",
          "addresses or CIDR blocks",
          ".*",
          List.of(),
          ValueType::networks,
          networks -> String.join(",", networks));

  /** One host, without a port, as keys have it. */
  static final ValueType<String> HOST =
      new ValueType<>(
          "host",
          "a name or an address, without a port",
          "[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\]",
          "host",
          ValueType::host,
          text -> text);

  static final ValueType<List<String>> PARAMETERS =
      list(
          "list of parameters",
          "names; a trailing `*` matches any suffix",
          NamePatterns::isPattern,
          false,
          "write names such as id or utm_*");
  static final ValueType<List<String>> FIELD_NAMES =
      list(
          "list of fields",
          "names of header fields",
          FieldSyntax::isToken,
          true,
          "write names such as X-Country");
  static final ValueType<List<String>> SIBLING_CODINGS =
      list(
          "list of codings",
          "`br`, `zstd`, `gzip`",
          text -> text.matches("br|zstd|gzip"),
          false,
          "write br, zstd or gzip");
  static final ValueType<List<String>> LOGGED_FIELDS =
      list(
          "list of fields",
          "names of header fields, up to 64 characters, without those of credentials",
          text ->
              FieldSyntax.isToken(text)
                  && text.length() <= RouteLog.MAX_NAME_LENGTH
                  && RouteLog.isLoggable(text),
          true,
          "write names such as X-Country; fields with credentials are not logged");
  static final ValueType<List<String>> LOG_PARTS =
      list(
          "list of parts",
          "`client`, `host`, `query`, `referer`, `user_agent`, `traceparent`, `tls`, `cmcd`",
          text -> text.matches("client|host|query|referer|user_agent|traceparent|tls|cmcd"),
          false,
          "write parts such as client or query");
  static final ValueType<List<String>> LOG_FIELDS =
      list(
          "list of log fields",
          "names of the access log's fields",
          text -> {
            LogField field = LogField.of(text);
            return field != null && field.isJson();
          },
          false,
          "write names such as ts, client or status");
  static final ValueType<List<String>> LOG_PARAMETERS =
      list(
          "list of names",
          "names of parameters, up to 64 characters",
          text -> text.matches("[!-~&&[^,=&?;#]]{1,64}"),
          true,
          "write names such as token");
  static final ValueType<String> SYSLOG_TAG =
      matching(
          "tag",
          "up to 48 visible ASCII characters",
          "[!-~]{1,48}",
          "forebay",
          "write one such as forebay");
  static final ValueType<String> LOG_FORMAT =
      new ValueType<>(
          "log format",
          "`json`, `combined`, or a text with fields in braces",
          ".+",
          "json",
          text -> {
            if (!text.equals("json") && !text.equals("combined")) {
              LogTemplate.of(text);
            }
            return text;
          },
          text -> text);
  static final ValueType<List<String>> FIELD_PATTERNS =
      list(
          "list of fields",
          "names of header fields; a trailing `*` matches any suffix",
          text ->
              FieldSyntax.isToken(text)
                  && (text.indexOf('*') < 0 || text.indexOf('*') == text.length() - 1)
                  && NamePatterns.isPattern(text),
          true,
          "write names such as X-Debug or X-Internal-*");
  static final ValueType<List<String>> COOKIE_NAMES =
      list(
          "list of cookies",
          "names of cookies",
          FieldSyntax::isToken,
          false,
          "write names such as session");
  static final ValueType<List<String>> HEURISTIC_ERRORS =
      list(
          "list of statuses",
          "any of 404, 405, 410, 414, 501",
          text -> text.matches("404|405|410|414|501"),
          false,
          "write statuses such as 404");
  static final ValueType<List<String>> RETRY_STATUSES =
      list(
          "list of statuses",
          "429, 500 to 599",
          text -> text.matches("429|5[0-9][0-9]"),
          false,
          "write statuses such as 502");
  static final ValueType<List<String>> PROBE_STATUSES =
      list(
          "list of statuses",
          "200 to 599, and ranges such as `200-299`",
          ValueType::isStatusRange,
          false,
          "write statuses such as 204, or ranges such as 200-299");
  static final ValueType<List<String>> COOKIE_PATTERNS =
      list(
          "list of cookies",
          "names of cookies; a trailing `*` matches any suffix",
          text ->
              FieldSyntax.isToken(text)
                  && (text.indexOf('*') < 0 || text.indexOf('*') == text.length() - 1)
                  && NamePatterns.isPattern(text),
          false,
          "write names such as session or wordpress_logged_in_*");
  static final ValueType<String> FILE_NAME =
      matching(
          "file name",
          "1 to 255 letters, digits, blanks, `.`, `-` or `_`, or `none`",
          "[A-Za-z0-9_][A-Za-z0-9._ -]{0,254}",
          "index.html",
          "write a name such as index.html");
  static final ValueType<List<String>> MEDIA_TYPES =
      list(
          "list of media types",
          "`EXTENSION=TYPE`",
          text ->
              text.matches(
                  "[A-Za-z0-9_-]{1,32}=[A-Za-z0-9!#$&^_.+-]{1,64}/[A-Za-z0-9!#$&^_.+-]{1,64}"
                      + "( *; *[A-Za-z0-9_-]+=[A-Za-z0-9_.-]+)?"),
          true,
          "write one such as glb=model/gltf-binary");
  static final ValueType<String> PROBE_PATH =
      matching(
          "path and query",
          "`/` and visible ASCII characters without `#`",
          "/[!-\"$-~]{0,1023}",
          "/",
          "write one such as /health or /status?full=1");
  static final ValueType<String> PROBE_TEXT =
      matching(
          "text",
          "1 to 255 printable ASCII characters",
          "[ -~]{1,255}",
          "-",
          "write what the body of the answer has, such as \"status\": \"ok\"");

  static final ValueType<List<String>> LANGUAGES =
      list(
          "list of languages",
          "language tags, the default first",
          text -> text.matches("[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,8}"),
          true,
          "write tags such as en or de-CH");

  static final ValueType<List<String>> IMAGE_FORMATS =
      list(
          "list of image formats",
          "`avif`, `webp`, `jxl`",
          AcceptClasses.FORMATS::contains,
          false,
          "write formats such as avif, webp");
  static final ValueType<List<String>> PROTOCOLS =
      list(
          "list of protocols",
          "names such as `websocket`",
          UpgradeOffer::isProtocol,
          true,
          "write names such as websocket");
  static final ValueType<List<String>> TRAILERS =
      list(
          "list of trailers",
          "names of fields that may follow a body (RFC 9110 §6.5.1)",
          Trailers::mayBeTrailer,
          true,
          "write names such as Server-Timing");

  static final ValueType<List<String>> ORIGINS =
      list(
          "list of origins",
          "names of origins",
          text -> text.matches(NAME.pattern()),
          false,
          "write names such as main");
  static final ValueType<List<String>> KEY_PINS =
      list(
          "list of pins",
          "`sha256/` and the base64 of the SHA-256 of a public key",
          text -> text.matches("sha256/[A-Za-z0-9+/]{43}="),
          false,
          "write one such as sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
  static final ValueType<String> PROXY_URL =
      new ValueType<>(
          "proxy URL",
          "`http://HOST:PORT`",
          "http://\\S+",
          "http://localhost:3128",
          ValueType::proxyUrl,
          text -> text);
  static final ValueType<String> PASSWORD =
      matching(
          "secret",
          "1 to 255 visible ASCII characters",
          "[!-~]{1,255}",
          "-",
          "take it from the environment: ${NAME}");
  static final ValueType<List<InetAddress>> SOURCE_ADDRESSES =
      new ValueType<>(
          "list of addresses",
          "one IPv4 and one IPv6 address at most",
          "[0-9A-Fa-f:., ]*",
          List.of(),
          ValueType::sourceAddresses,
          addresses ->
              String.join(",", addresses.stream().map(InetAddress::getHostAddress).toList()));
  static final ValueType<List<String>> LISTENERS =
      list(
          "list of listeners",
          "names of TLS listeners",
          text -> text.matches("[A-Za-z0-9._-]+"),
          false,
          "write names such as https");
  private static final String LABEL = "[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?";
  static final ValueType<List<String>> SERVER_NAMES =
      list(
          "list of hosts",
          "names; a leading `*.` matches one label",
          text -> text.matches("(\\*\\.)?" + LABEL + "(\\." + LABEL + "){0,60}"),
          true,
          "write names such as www.example.com or *.example.com");

  /** Where certificates are ordered: over TLS, save on this machine. */
  static final ValueType<URI> DIRECTORY_URL =
      new ValueType<>(
          "URL",
          "`https://HOST[:PORT]/PATH`; `http` for a loopback address only",
          "https?://\\S+",
          AcmeConfig.LETS_ENCRYPT,
          ValueType::directoryUrl,
          URI::toString);

  static final ValueType<String> EMAIL =
      matching(
          "e-mail address",
          "a plain address",
          "[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{1,190}",
          "admin@example.com",
          "write an address such as admin@example.com");

  static final ValueType<Secret> EAB_SECRET =
      secret(
          "16 to 1024 characters of base64url",
          "[A-Za-z0-9_=-]{16,1024}",
          "use the HMAC key that the authority shows");

  static final ValueType<List<String>> ACME_CHALLENGES =
      list(
          "list of challenges",
          "`tls-alpn-01`, `http-01`",
          text -> text.equals("tls-alpn-01") || text.equals("http-01"),
          false,
          "write tls-alpn-01, http-01 or both");

  static List<String> printChallenges(List<AcmeConfig.Challenge> challenges) {
    return challenges.stream().map(ValueType::print).toList();
  }

  private static URI directoryUrl(String text) throws WrongValueException {
    String right = "write https://, the host and the path of the directory";
    URI url;
    try {
      url = new URI(text);
    } catch (URISyntaxException e) {
      throw wrong(text, "not a URL", right);
    }
    String host = url.getHost();
    if (host == null || url.getRawUserInfo() != null || url.getRawFragment() != null) {
      throw wrong(text, "not the URL of a directory", right);
    }
    boolean isLocal = host.equals("127.0.0.1") || host.equals("[::1]");
    if (!"https".equals(url.getScheme()) && !("http".equals(url.getScheme()) && isLocal)) {
      throw wrong(text, "not over https", right);
    }
    return url;
  }

  /** Protected fields that the node only forwards. */
  private static final Set<String> FREE = Set.of("authorization", "cookie", "origin", "x-real-ip");

  /** More than any machine has kinds of memory. */
  private static final int MAX_TIERS = 8;

  static final ValueType<List<TierConfig>> TIERS =
      new ValueType<>(
          "list of tiers",
          "`DIR:SIZE`, such as `/mnt/cxl/forebay:64GiB`, the fastest first",
          ".*",
          List.of(),
          ValueType::tiers,
          tiers ->
              String.join(
                  ",",
                  tiers.stream().map(one -> one.path() + ":" + printSize(one.bytes())).toList()));

  private static final int MAX_LIST = 256;

  static final ValueType<String> LOG_OUTPUT =
      new ValueType<>(
          "log output",
          "`off`, `stdout`, a file path, or a receiver of syslog",
          ".+",
          "off",
          text -> {
            if (!text.equals("off") && !text.equals("stdout") && SyslogAddress.read(text) == null) {
              path(text);
            }
            return text;
          },
          text -> text);

  static final ValueType<NegativeTtl> NEGATIVE_TTL =
      new ValueType<>(
          "times by status",
          "pairs `STATUS: DURATION`; a status is an error such as `404`, or `4xx` or `5xx`",
          "([45]([0-9]{2}|xx)=(0|[0-9]+(ms|s|m|h|d))(,(?!$)|$))*",
          NegativeTtl.NONE,
          ValueType::negativeTtl,
          ValueType::print);

  static final ValueType<SplitConfig.Shares> SHARES =
      new ValueType<>(
          "shares",
          "2 to 16 pairs `GROUP: PERCENTAGE`, 100% together",
          "([A-Za-z0-9_-]+=[0-9]{1,3}(\\.[0-9]{1,2})?%(,(?!$)|$))*",
          new SplitConfig.Shares(Map.of("a", 5000, "b", 5000)),
          ValueType::shares,
          SplitConfig.Shares::toString);

  private static final Pattern SIZE = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([A-Za-z%]*)");
  private static final Pattern DURATION = Pattern.compile("(\\d+)\\s*([A-Za-z]*)");
  private static final Pattern HOST_NAME =
      Pattern.compile(
          "(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\\.[A-Za-z0-9_][A-Za-z0-9_-]{0,62})*\\.?");
  private static final Pattern IPV6 =
      Pattern.compile("[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9._-]{1,16})?");
  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

  private static final Map<String, Long> SIZE_UNITS = new LinkedHashMap<>();
  private static final Map<String, Long> DURATION_UNITS = new LinkedHashMap<>();

  static {
    // From large to small: printing takes the first unit that divides the value.
    SIZE_UNITS.put("TiB", 1L << 40);
    SIZE_UNITS.put("GiB", 1L << 30);
    SIZE_UNITS.put("MiB", 1L << 20);
    SIZE_UNITS.put("KiB", 1L << 10);
    SIZE_UNITS.put("B", 1L);
    DURATION_UNITS.put("d", 86_400_000L);
    DURATION_UNITS.put("h", 3_600_000L);
    DURATION_UNITS.put("m", 60_000L);
    DURATION_UNITS.put("s", 1_000L);
    DURATION_UNITS.put("ms", 1L);
  }

  /** Whether the value may also be written as a YAML list. */
  boolean isList() {
    return placeholder instanceof List<?> || name.equals(PIN.name);
  }

  /** Whether the value may also be written as a YAML mapping of texts. */
  boolean isMap() {
    return name.equals(NEGATIVE_TTL.name) || name.equals(SHARES.name);
  }

  /** Whether its shape is YAML that other code reads. */
  boolean isTree() {
    return range.equals(OF_TREES);
  }

  private static ValueType<String> tree(String name) {
    return new ValueType<>(name, OF_TREES, ".*", "", text -> text, text -> text);
  }

  /** Reads a value or says why not. */
  interface Reader<T> {
    T read(String text) throws WrongValueException;
  }

  /** A text that is no value of the type. */
  static final class WrongValueException extends Exception {
    private static final long serialVersionUID = 1L;
    private final String right;

    WrongValueException(String message, String right) {
      super(message, null, false, false);
      this.right = right;
    }

    String message() {
      return String.valueOf(getMessage());
    }

    String right() {
      return right;
    }
  }

  static ValueType<Integer> integer(int min, int max) {
    return new ValueType<>(
        "integer",
        min + " to " + max,
        "[0-9]+",
        min,
        text -> {
          long value;
          try {
            value = Long.parseLong(text);
          } catch (NumberFormatException e) {
            throw wrong(text, "not a whole number", "write " + min + " to " + max);
          }
          if (value < min || value > max) {
            throw wrong(text, "out of range", "write " + min + " to " + max);
          }
          return (int) value;
        },
        String::valueOf);
  }

  /** 0, or a factor above 1. */
  static ValueType<Integer> factor(int max) {
    String range = "0, or 2 to " + max;
    return new ValueType<>(
        "integer",
        range,
        "[0-9]+",
        0,
        text -> {
          int value = integer(0, max).reader.read(text);
          if (value == 1) {
            throw wrong(text, "out of range", "write " + range);
          }
          return value;
        },
        String::valueOf);
  }

  static ValueType<Long> size(String min, String max) {
    long minBytes = bytes(min);
    long maxBytes = bytes(max);
    return new ValueType<>(
        "size",
        min + " to " + max,
        "[0-9]+(\\.[0-9]+)?(B|KiB|MiB|GiB|TiB)?",
        minBytes,
        text -> {
          long value = size(text);
          if (value < minBytes || value > maxBytes) {
            throw wrong(text, "out of range", "write " + min + " to " + max);
          }
          return value;
        },
        ValueType::printSize);
  }

  /** A size, or {@code auto}, which is -1. */
  static ValueType<Long> sizeOrAuto(String min, String max) {
    ValueType<Long> sizes = size(min, max);
    return new ValueType<>(
        "size or `auto`",
        min + " to " + max + ", or auto",
        sizes.pattern() + "|auto",
        bytes(min),
        text -> text.equals("auto") ? -1 : sizes.reader().read(text),
        value -> value < 0 ? "auto" : printSize(value));
  }

  /** A size, or a share of the memory that the process can have. */
  static ValueType<MemorySize> memory(String min, String max, int mostPercent) {
    ValueType<Long> sizes = size(min, max);
    Pattern share = Pattern.compile("(\\d{1,9})\\s*%");
    return new ValueType<>(
        "size or share",
        min + " to " + max + ", or 1% to " + mostPercent + "%",
        sizes.pattern() + "|[0-9]{1," + Integer.toString(mostPercent).length() + "}%",
        MemorySize.of(bytes(min)),
        text -> {
          Matcher matcher = share.matcher(text);
          if (!matcher.matches()) {
            return MemorySize.of(sizes.reader().read(text));
          }
          int percent = Integer.parseInt(matcher.group(1));
          if (percent < 1 || percent > mostPercent) {
            throw wrong(text, "out of range", "write 1% to " + mostPercent + "%");
          }
          return MemorySize.share(percent);
        },
        MemorySize::toString);
  }

  /** A size, or a number of sizes of the store with the unit DWPD. */
  static ValueType<DailyWrites> dailyWrites(String max) {
    ValueType<Long> sizes = size("0", max);
    Pattern driveWrites = Pattern.compile("(\\d{1,3})(?:\\.(\\d{1,2}))?\\s*[Dd][Ww][Pp][Dd]");
    String range = "0 to " + max + ", or 0.01 DWPD to 100 DWPD";
    return new ValueType<>(
        "size or DWPD",
        range,
        sizes.pattern() + "|[0-9]{1,3}(\\.[0-9]{1,2})? ?[Dd][Ww][Pp][Dd]",
        DailyWrites.NONE,
        text -> {
          Matcher matcher = driveWrites.matcher(text);
          if (!matcher.matches()) {
            return DailyWrites.of(sizes.reader().read(text));
          }
          String decimals =
              matcher.group(2) == null ? "00" : (matcher.group(2) + "0").substring(0, 2);
          int hundredths = Integer.parseInt(matcher.group(1)) * 100 + Integer.parseInt(decimals);
          if (hundredths < 1 || hundredths > 10_000) {
            throw wrong(text, "out of range", "write " + range);
          }
          return new DailyWrites(0, hundredths);
        },
        DailyWrites::toString);
  }

  static ValueType<Duration> duration(String min, String max) {
    long minMillis = millis(min);
    long maxMillis = millis(max);
    return new ValueType<>(
        "duration",
        min + " to " + max,
        "0|[0-9]+(ms|s|m|h|d)",
        Duration.ofMillis(minMillis),
        text -> {
          long value = duration(text);
          if (value < minMillis || value > maxMillis) {
            throw wrong(text, "out of range", "write " + min + " to " + max);
          }
          return Duration.ofMillis(value);
        },
        ValueType::printDuration);
  }

  static ValueType<String> oneOf(String... choices) {
    List<String> all = Arrays.asList(choices);
    return new ValueType<>(
        "choice",
        "`" + String.join("`, `", all) + "`",
        String.join("|", all),
        choices[0],
        text -> {
          if (!all.contains(text)) {
            throw wrong(text, "not one of the choices", "write " + String.join(" or ", all));
          }
          return text;
        },
        text -> text);
  }

  /** A constant by its name in lower case, with hyphens. */
  static <E extends Enum<E>> ValueType<E> constant(Class<E> type) {
    return constant(type, type.getEnumConstants()[0]);
  }

  static <E extends Enum<E>> ValueType<E> constant(Class<E> type, E placeholder) {
    E[] all = type.getEnumConstants();
    String[] texts = new String[all.length];
    for (int i = 0; i < all.length; i++) {
      texts[i] = print(all[i]);
    }
    ValueType<String> choice = oneOf(texts);
    return new ValueType<>(
        choice.name,
        choice.range,
        choice.pattern,
        placeholder,
        text -> all[Arrays.asList(texts).indexOf(choice.reader.read(text))],
        ValueType::print);
  }

  private static String print(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A share of something, in whole hundredths. */
  static ValueType<Integer> percent(int max) {
    return percent(0, max);
  }

  static ValueType<Integer> percent(int min, int max) {
    ValueType<Integer> numbers = integer(min, max);
    String range = min + "% to " + max + "%";
    return new ValueType<>(
        "percentage",
        range,
        min == 0 ? "[0-9]{1,3}%|0" : "[0-9]{1,3}%",
        min,
        text -> {
          if (!text.endsWith("%") && !(min == 0 && text.equals("0"))) {
            throw wrong(text, "not a percentage", "write " + range);
          }
          return numbers.reader.read(text.replace("%", "").strip());
        },
        percent -> percent + "%");
  }

  private static List<TierConfig> tiers(String text) throws WrongValueException {
    List<TierConfig> tiers = new ArrayList<>();
    ValueType<Long> sizes = size("16MiB", "64TiB");
    String right = "write DIR:SIZE, such as /mnt/cxl/forebay:64GiB";
    for (String part : text.split(",", -1)) {
      String item = part.strip();
      int colon = item.lastIndexOf(':');
      if (item.isEmpty()) {
        continue;
      }
      if (colon <= 0) {
        throw wrong(item, "not a directory and a size", right);
      }
      Path path = path(item.substring(0, colon));
      if (tiers.stream().anyMatch(one -> one.path().normalize().equals(path.normalize()))) {
        throw wrong(path.toString(), "the directory of two tiers", "use one directory per tier");
      }
      tiers.add(new TierConfig(path, sizes.reader().read(item.substring(colon + 1).strip())));
    }
    if (tiers.size() > MAX_TIERS) {
      throw wrong(text, "longer than " + MAX_TIERS + " entries", right);
    }
    return List.copyOf(tiers);
  }

  private static SplitConfig.Shares shares(String text) throws WrongValueException {
    String right = "write such as {beta: 10%, current: 90%}";
    Map<String, Integer> parts = new LinkedHashMap<>();
    int sum = 0;
    for (String pair : text.split(",", -1)) {
      String entry = pair.strip();
      if (!entry.matches("[A-Za-z0-9_-]{1,63}\\s*=\\s*\\d{1,3}(\\.\\d{1,2})?%")) {
        throw wrong(entry.replace("=", ": "), "not a group and its share", right);
      }
      int equals = entry.indexOf('=');
      String share = entry.substring(equals + 1, entry.length() - 1).strip();
      int parsed = new BigDecimal(share).movePointRight(2).intValueExact();
      String group = entry.substring(0, equals).strip();
      if (parts.put(group, parsed) != null) {
        throw wrong(group, "there twice", right);
      }
      sum += parsed;
    }
    if (parts.size() < 2 || parts.size() > 16) {
      throw new WrongValueException(parts.size() + " groups", "name 2 to 16");
    }
    if (sum != 10_000) {
      String all = new BigDecimal(sum).movePointLeft(2).stripTrailingZeros().toPlainString();
      throw new WrongValueException(
          "the shares are " + all + "% together", "make them 100%: the last group is the rest");
    }
    return new SplitConfig.Shares(parts);
  }

  private static NegativeTtl negativeTtl(String text) throws WrongValueException {
    Map<Integer, Duration> times = new TreeMap<>();
    for (String part : text.split(",", -1)) {
      String entry = part.strip();
      int equals = entry.indexOf('=');
      if (entry.isEmpty()) {
        continue;
      }
      String status = equals < 0 ? entry : entry.substring(0, equals).strip();
      if (equals < 0 || !status.matches("[45](\\d\\d|xx)")) {
        throw wrong(
            entry, "not an error status with a duration", "write one such as 404: 10s or 5xx: 1s");
      }
      Duration time = Duration.ofMillis(duration(entry.substring(equals + 1).strip()));
      times.put(Integer.parseInt(status.replace("xx", "")), time);
    }
    try {
      return new NegativeTtl(times);
    } catch (IllegalArgumentException e) {
      throw new WrongValueException(String.valueOf(e.getMessage()), "leave it out");
    }
  }

  private static String print(NegativeTtl ttl) {
    StringBuilder text = new StringBuilder();
    ttl.times()
        .forEach((status, time) ->
            text.append(text.isEmpty() ? "" : ",")
                .append(status < 10 ? status + "xx" : status.toString())
                .append('=')
                .append(printDuration(time)));
    return text.toString();
  }

  private static ValueType<Secret> secret(String range, String pattern, String right) {
    ValueType<String> text = matching("secret", range, pattern, "-", right);
    return new ValueType<>(
        text.name(),
        range,
        pattern,
        new Secret("-"),
        given -> new Secret(text.reader().read(given)),
        Secret::value);
  }

  private static String staticField(String text) throws WrongValueException {
    String name = text.toLowerCase(Locale.ROOT);
    if (!name.matches("[a-z0-9][a-z0-9_-]{0,127}")) {
      throw wrong(text, "not the name of a field", "write one such as X-Origin-Secret");
    }
    if (name.equals("host")) {
      throw wrong(text, "not set here", "set origins.NAME.host");
    }
    if (HopByHop.STANDARD.has(name) || (HopByHop.isProtected(name) && !FREE.contains(name))) {
      throw wrong(text, "a field that the node itself writes or evaluates", "use another field");
    }
    return name;
  }

  /**
   * Whether a request may have a field of that name that the node sets and only the origin reads.
   */
  static boolean isFreeField(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return !HopByHop.isProtected(lower);
  }

  static ValueType<String> matching(
      String name, String range, String pattern, String placeholder, String right) {
    Pattern compiled = Pattern.compile(pattern);
    return new ValueType<>(
        name,
        range,
        pattern,
        placeholder,
        text -> {
          if (!compiled.matcher(text).matches()) {
            // A secret that is wrong must not be printed by the message that says so.
            throw name.equals("secret")
                ? new WrongValueException("the secret is not " + range, right)
                : wrong(text, "not " + range.replace("`", ""), right);
          }
          return text;
        },
        text -> text);
  }

  /** Several values with commas between, or a YAML list; each is kept once. */
  static ValueType<List<String>> list(
      String name, String range, Predicate<String> isItem, boolean isLowered, String right) {
    return new ValueType<>(
        name,
        range,
        ".*",
        List.of(),
        text -> {
          Set<String> items = new LinkedHashSet<>();
          for (String part : text.split(",", -1)) {
            String item = part.strip();
            if (item.isEmpty()) {
              continue;
            }
            if (!isItem.test(item)) {
              throw wrong(item, "not in a " + name, right);
            }
            items.add(isLowered ? item.toLowerCase(Locale.ROOT) : item);
          }
          if (items.size() > MAX_LIST) {
            throw wrong(text, "longer than " + MAX_LIST + " entries", right);
          }
          return List.copyOf(items);
        },
        items -> String.join(",", items));
  }

  private static boolean isStatusRange(String text) {
    return text.matches("[2-5][0-9][0-9](-[2-5][0-9][0-9])?")
        && (text.length() == 3 || text.substring(0, 3).compareTo(text.substring(4)) <= 0);
  }

  private static WrongValueException wrong(String text, String why, String right) {
    return new WrongValueException("\"" + Printable.shown(text) + "\" is " + why, right);
  }

  static String printSize(long bytes) {
    for (Map.Entry<String, Long> unit : SIZE_UNITS.entrySet()) {
      if (bytes != 0 && unit.getValue() > 1 && bytes % unit.getValue() == 0) {
        return bytes / unit.getValue() + unit.getKey();
      }
    }
    return Long.toString(bytes);
  }

  static String printDuration(Duration duration) {
    long millis = duration.toMillis();
    for (Map.Entry<String, Long> unit : DURATION_UNITS.entrySet()) {
      if (millis != 0 && millis % unit.getValue() == 0) {
        return millis / unit.getValue() + unit.getKey();
      }
    }
    return "0s";
  }

  static String print(Address address) {
    if (address.unixFile() != null) {
      return address.host();
    }
    if (address.host().equals("*")) {
      return ":" + address.port();
    }
    return (address.host().indexOf(':') < 0 ? address.host() : "[" + address.host() + "]")
        + ":"
        + address.port();
  }

  private static long bytes(String text) {
    try {
      return size(text);
    } catch (WrongValueException e) {
      throw new IllegalArgumentException(e.message(), e);
    }
  }

  private static long millis(String text) {
    try {
      return duration(text);
    } catch (WrongValueException e) {
      throw new IllegalArgumentException(e.message(), e);
    }
  }

  private static long size(String text) throws WrongValueException {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      throw wrong(text, "not a size", "write bytes, or a size such as 64KiB, 512MiB or 2GiB");
    }
    String unit = matcher.group(2);
    if (unit.equals("%")) {
      throw wrong(
          text, "a share, which this key does not accept", "write a size such as 512MiB or 2GiB");
    }
    Long factor = unit.isEmpty() ? Long.valueOf(1) : SIZE_UNITS.get(unit);
    if (factor == null) {
      String first = unit.substring(0, 1).toUpperCase(Locale.ROOT);
      boolean isGuess = "KMGT".contains(first);
      throw wrong(
          text,
          "a size with an unknown unit",
          "write "
              + (isGuess ? matcher.group(1) + first + "iB" : "B, KiB, MiB, GiB or TiB")
              + " (units are powers of 1024)");
    }
    BigDecimal value = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(factor));
    if (value.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw wrong(text, "out of range", "write a size such as 2GiB");
    }
    return value.longValue();
  }

  private static long duration(String text) throws WrongValueException {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches() || matcher.group(1).length() > 15) {
      throw wrong(text, "not a duration", "write one such as 500ms, 10s, 5m, 2h or 1d");
    }
    long count = Long.parseLong(matcher.group(1));
    String unit = matcher.group(2);
    if (unit.isEmpty() && count == 0) {
      return 0;
    }
    Long factor = DURATION_UNITS.get(unit);
    if (factor == null) {
      throw wrong(
          text,
          unit.isEmpty() ? "a number without a unit" : "a duration with an unknown unit",
          "write " + count + "s, or with ms, m, h or d");
    }
    return count > Long.MAX_VALUE / factor ? Long.MAX_VALUE : count * factor;
  }

  private static Address address(String text) throws WrongValueException {
    String right = "write one such as :8080, 127.0.0.1:8080 or [::1]:8080";
    if (text.startsWith("unix:")) {
      return unix(text);
    }
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw wrong(text, "not an address", right);
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
      if (host.indexOf(':') < 0 || !IPV6.matcher(host).matches()) {
        throw wrong(text, "not an address", right);
      }
    } else if (host.isEmpty() || host.equals("*")) {
      host = "*";
    } else if (!isHost(host)) {
      throw wrong(text, "not an address", right);
    }
    return new Address(host, port(text, text.substring(colon + 1), right));
  }

  /** The kernel takes at most 107 bytes. */
  private static Address unix(String text) throws WrongValueException {
    String file = text.substring("unix:".length());
    if (!file.startsWith("/")
        || file.endsWith("/")
        || file.indexOf('\0') >= 0
        || file.getBytes(StandardCharsets.UTF_8).length > 107) {
      throw wrong(
          text,
          "not a path for a Unix-domain socket",
          "write one such as unix:/run/forebay/http.sock");
    }
    return Address.unix(Path.of(file));
  }

  private static int port(String text, String port, String right) throws WrongValueException {
    if (!port.matches("\\d{1,5}") || Integer.parseInt(port) > 65_535) {
      throw wrong(text, "an address whose port is not 0 to 65535", right);
    }
    return Integer.parseInt(port);
  }

  /** Whether the text is a host name or an IPv4 literal; {@code 300.1.1.1} is neither. */
  private static boolean isHost(String text) {
    if (IPV4.matcher(text).matches()) {
      for (String part : text.split("\\.", -1)) {
        if (Integer.parseInt(part) > 255) {
          return false;
        }
      }
      return true;
    }
    return HOST_NAME.matcher(text).matches();
  }

  private static String originUrl(String text) throws WrongValueException {
    String right =
        "write one such as http://127.0.0.1:9000, https://origin.example.com/base/ or"
            + " unix:/run/app.sock";
    if (text.startsWith("unix:")) {
      return unixOrigin(text, text.substring("unix:".length()));
    }
    if (text.startsWith("http://unix:")) {
      return unixOrigin(text, text.substring("http://unix:".length()));
    }
    if (text.startsWith("https://unix:")) {
      throw wrong(text, "TLS over a Unix-domain socket, which is not supported", "write unix:FILE");
    }
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw wrong(text, "not a URL", right);
    }
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    boolean isService = scheme.equals("http+srv") || scheme.equals("https+srv");
    if (!isService && !scheme.equals("http") && !scheme.equals("https")) {
      throw wrong(text, "not an http or https URL", right);
    }
    if (uri.getRawUserInfo() != null) {
      // Not echoed: it holds a password.
      throw new WrongValueException(
          "the URL contains a user", "write it without user and password");
    }
    String authority = uri.getRawAuthority();
    if (authority == null) {
      throw wrong(text, "a URL without a host", right);
    }
    if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw wrong(
          text, "a URL with a query or fragment", "write scheme, host, port and base path only");
    }
    String base = basePath(text, String.valueOf(uri.getRawPath()));
    // java.net.URI leaves the host null for names with an underscore, so the authority is cut here.
    int end = authority.startsWith("[") ? authority.indexOf(']') + 1 : authority.indexOf(':');
    String host = end < 0 ? authority : authority.substring(0, end);
    String rest = end < 0 ? "" : authority.substring(end);
    boolean isHost =
        host.startsWith("[")
            ? IPV6.matcher(host.substring(1, Math.max(host.length() - 1, 1))).matches()
            : isHost(host);
    if (!isHost || (!rest.isEmpty() && !rest.startsWith(":"))) {
      throw wrong(text, "a URL whose host cannot be read", right);
    }
    if (isService) {
      if (!rest.isEmpty() || host.startsWith("[") || IPV4.matcher(host).matches()) {
        throw wrong(
            text,
            "a URL that is not an SRV name alone",
            "write one such as http+srv://_http._tcp.example.com; ports are in its records");
      }
      return scheme + "://" + host.toLowerCase(Locale.ROOT) + base;
    }
    int port =
        rest.length() <= 1
            ? (scheme.equals("http") ? 80 : 443)
            : port(text, rest.substring(1), right);
    if (port == 0) {
      throw wrong(text, "a URL with port 0", right);
    }
    return scheme + "://" + host.toLowerCase(Locale.ROOT) + ":" + port + base;
  }

  /** {@code FILE[:/BASE/]}, as after {@code unix:}, or after {@code http://unix:} in nginx. */
  private static String unixOrigin(String text, String address) throws WrongValueException {
    int colon = address.indexOf(':');
    String base = colon < 0 ? "" : basePath(text, address.substring(colon + 1));
    String file = colon < 0 ? address : address.substring(0, colon);
    return print(unix("unix:" + file)) + (base.isEmpty() ? "" : ":" + base);
  }

  /** The base path of an origin's URL without the slash at its end; requests begin with theirs. */
  private static String basePath(String text, String path) throws WrongValueException {
    if (path.isEmpty() || path.equals("/")) {
      return "";
    }
    if (!path.startsWith("/") || path.contains("//")) {
      throw wrong(text, "a URL with a base path that is not one", "write one such as /base/");
    }
    if (!(TargetNormalizer.normalize(path, "GET") instanceof TargetNormalizer.Accepted accepted)
        || accepted.query() != null) {
      throw wrong(text, "a URL whose base path cannot be read", "write one such as /base/");
    }
    if (!accepted.path().equals(path)) {
      throw wrong(text, "a URL whose base path is not in normal form", "write " + accepted.path());
    }
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  private static Path path(String text) throws WrongValueException {
    if (text.isEmpty()) {
      throw wrong(text, "not a path", "write a file or directory");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw wrong(text, "not a path", "write a file or directory");
    }
  }

  private static String text(String text) throws WrongValueException {
    if (text.isEmpty() || text.length() > 255 || !text.chars().allMatch(c -> c > 32 && c < 127)) {
      throw wrong(text, "not 1 to 255 visible ASCII characters", "");
    }
    return text;
  }

  private static String host(String text) throws WrongValueException {
    String lower = text.toLowerCase(Locale.ROOT);
    if (!lower.equals(AuthorityNormalizer.normalize(lower, "http"))
        || AuthorityNormalizer.hostLength(lower) != lower.length()) {
      throw wrong(text, "not a host", "write one such as www.example.com, without a port");
    }
    return lower;
  }

  private static String routeHost(String text) throws WrongValueException {
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.equals("*")) {
      return lower;
    }
    String host = lower.startsWith("*.") ? lower.substring(2) : lower;
    // Whichever scheme a port is the default of, the pattern may name it.
    if (!host.equals(AuthorityNormalizer.normalize(host, "http"))
        && !host.equals(AuthorityNormalizer.normalize(host, "https"))) {
      throw wrong(
          text, "not a host pattern", "write *, www.example.com, *.example.com or one with a port");
    }
    return lower;
  }

  /** Requests are matched in normal form, so that another form would match none. */
  private static String pathPrefix(String text) throws WrongValueException {
    if (!(TargetNormalizer.normalize(text, "GET") instanceof TargetNormalizer.Accepted accepted)
        || accepted.authority() != null
        || accepted.query() != null) {
      throw wrong(text, "not a path", "write one that begins with /, without a query");
    }
    if (!accepted.path().equals(text)) {
      throw wrong(text, "a path that is not in normal form", "write " + accepted.path());
    }
    return text;
  }

  private static String proxyUrl(String text) throws WrongValueException {
    if (!text.startsWith("http://")) {
      throw wrong(text, "not an http URL", "write one such as http://proxy.example.com:3128");
    }
    String url = originUrl(text);
    if (url.startsWith("unix:") || url.indexOf('/', "http://".length()) >= 0) {
      throw wrong(text, "more than a host and a port", "write http://HOST:PORT");
    }
    return url;
  }

  private static List<InetAddress> sourceAddresses(String text) throws WrongValueException {
    List<InetAddress> addresses = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String item = part.strip();
      if (item.isEmpty()) {
        continue;
      }
      boolean isV6 = item.indexOf(':') >= 0 && IPV6.matcher(item).matches();
      if (!isV6 && !(IPV4.matcher(item).matches() && isHost(item))) {
        throw wrong(item, "not an address", "write one such as 192.0.2.7");
      }
      InetAddress address;
      try {
        address = InetAddress.ofLiteral(item);
      } catch (IllegalArgumentException e) {
        throw wrong(item, "not an address", "write one such as 192.0.2.7");
      }
      if (addresses.stream().anyMatch(other -> other.getClass() == address.getClass())) {
        throw wrong(text, "two addresses of one family", "write one IPv4 and one IPv6 address");
      }
      addresses.add(address);
    }
    return List.copyOf(addresses);
  }

  private static String pin(String text) throws WrongValueException {
    String compact = text.replace(" ", "");
    if (!compact.matches("auto|off|\\d{1,4}(,\\d{1,4}){0,1023}")) {
      throw wrong(text, "not a pin setting", "write auto, off or CPU numbers such as 0,2");
    }
    return compact;
  }

  private static List<String> networks(String text) throws WrongValueException {
    List<String> networks = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String network = part.strip();
      if (network.isEmpty()) {
        continue;
      }
      int slash = network.indexOf('/');
      String address = slash < 0 ? network : network.substring(0, slash);
      boolean isV6 = address.indexOf(':') >= 0 && IPV6.matcher(address).matches();
      boolean isV4 = IPV4.matcher(address).matches() && isHost(address);
      String bits = slash < 0 ? (isV6 ? "128" : "32") : network.substring(slash + 1);
      if ((!isV4 && !isV6)
          || !bits.matches("\\d{1,3}")
          || Integer.parseInt(bits) > (isV6 ? 128 : 32)) {
        throw wrong(network, "not a network", "write one such as 10.0.0.0/8 or fd00::/8");
      }
      networks.add(address + "/" + bits);
    }
    return List.copyOf(networks);
  }
}
