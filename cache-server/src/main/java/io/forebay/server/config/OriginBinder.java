package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.ServerConfig.EjectionConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.ServerConfig.RetryConfig;
import io.forebay.server.config.ServerConfig.SlowConfig;
import io.forebay.server.config.TlsConfig.PairConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the origins and their servers. */
final class OriginBinder extends Binder {
  static final String DEFAULT_ORIGIN = "default";
  private static final int MAX_SERVERS = 64;
  private static final long MAX_PASSWORD_FILE = 4096;

  /** Settings of origins that are about directories too. */
  private static final List<Field<OriginConfig, ?>> OF_FILES =
      List.of(
          ConfigKeys.ORIGIN_MAX_CONNECTIONS,
          ConfigKeys.ORIGIN_MAX_WAITING,
          ConfigKeys.ORIGIN_FIRST_BYTE,
          ConfigKeys.ORIGIN_IDLE,
          ConfigKeys.ORIGIN_TOTAL);

  OriginBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  List<OriginConfig> bind() {
    List<OriginConfig> origins = new ArrayList<>();
    Raw shortForm = values.get(ConfigKeys.ORIGIN.name());
    if (shortForm != null) {
      String url = read(ConfigKeys.ORIGIN.name(), ConfigKeys.ORIGIN, shortForm);
      origins.add(origin(DEFAULT_ORIGIN, List.of(OriginServerConfig.of(url))));
      sources.put("origins.default.url", shortForm.place().text());
    }
    for (Map.Entry<String, SourceLocation> instance :
        values.instances(ConfigKeys.ORIGINS).entrySet()) {
      String name = instance.getKey();
      String scope = "origins." + name;
      if (shortForm != null && name.equals(DEFAULT_ORIGIN)) {
        if (values.get(scope + ".url") != null || !servers(scope).isEmpty()) {
          problems.add(
              instance.getValue().problem(scope, "origin is given as well", "keep one of them"));
        }
        continue;
      }
      boolean isOfFiles =
          ConfigKeys.ORIGINS.fields().stream()
              .anyMatch(field ->
                  field.name().startsWith("files.")
                      && values.get(scope + "." + field.name()) != null);
      origins.add(origin(name, isOfFiles ? List.of() : servers(scope, instance.getValue())));
    }
    if (origins.isEmpty() && !values.wasRefused(ConfigKeys.ORIGIN.name())) {
      problems.add(
          new ConfigProblem(
              "configuration",
              0,
              0,
              "origins",
              "no origin is configured",
              "set origin: http://HOST:PORT, --origin URL or FOREBAY_ORIGIN"));
    }
    checkFallbacks(origins);
    return List.copyOf(origins);
  }

  private AdaptiveLimitConfig adaptive(String scope) {
    int max = given(scope, ConfigKeys.ORIGIN_ADAPTIVE_MAX);
    int min = given(scope, ConfigKeys.ORIGIN_ADAPTIVE_MIN);
    if (max > 0 && min > max) {
      String path = scope + ".adaptive-limit.min";
      problems.add(
          firstPlace(values.get(path) == null ? scope + ".adaptive-limit.max" : path)
              .problem(path, "it is above adaptive-limit.max", "lower it, or raise the other"));
    }
    return new AdaptiveLimitConfig(
        max,
        min,
        given(scope, ConfigKeys.ORIGIN_ADAPTIVE_TOLERANCE),
        given(scope, ConfigKeys.ORIGIN_ADAPTIVE_INTERVAL));
  }

  private OriginTlsConfig tls(String scope, List<OriginServerConfig> servers) {
    String serverName = value(scope, ConfigKeys.ORIGIN_TLS_NAME);
    Path certificate = file(scope, ConfigKeys.ORIGIN_TLS_CERTIFICATE);
    Path key = file(scope, ConfigKeys.ORIGIN_TLS_KEY);
    List<String> pins = given(scope, ConfigKeys.ORIGIN_TLS_PINS);
    String tls = scope + ".tls";
    SourceLocation place =
        pins.isEmpty()
            ? givenPlace(tls + ".server-name", tls + ".certificate", tls + ".key")
            : givenPlace(tls + ".server-name", tls + ".certificate", tls + ".key", tls + ".pins");
    if (place != null && (certificate == null) != (key == null)) {
      String missing = certificate == null ? "certificate" : "key";
      problems.add(
          place.problem(
              scope + ".tls." + missing, "is missing", "certificate and key belong together"));
    }
    if (place != null && servers.stream().noneMatch(server -> server.url().startsWith("https"))) {
      problems.add(
          place.problem(scope + ".tls", "no server of the origin uses https", "remove it"));
    }
    PairConfig client =
        certificate == null || key == null ? null : new PairConfig(certificate, key);
    return new OriginTlsConfig(serverName, client, pins);
  }

  private @Nullable ProxyConfig proxy(String scope, List<OriginServerConfig> servers) {
    String url = value(scope, ConfigKeys.ORIGIN_PROXY);
    String user = value(scope, ConfigKeys.ORIGIN_PROXY_USER);
    String password = value(scope, ConfigKeys.ORIGIN_PROXY_PASSWORD);
    Path file = file(scope, ConfigKeys.ORIGIN_PROXY_PASSWORD_FILE);
    if (user != null && user.indexOf(':') >= 0) {
      String path = scope + ".proxy-user";
      problems.add(
          firstPlace(path).problem(path, "contains a colon", "the password has its own key"));
    }
    if (password != null && file != null) {
      String path = scope + ".proxy-password-file";
      problems.add(
          firstPlace(path).problem(path, "proxy-password is given as well", "keep one of them"));
    }
    if (url == null) {
      SourceLocation place =
          givenPlace(
              scope + ".proxy-user", scope + ".proxy-password", scope + ".proxy-password-file");
      if (place != null && !values.wasRefused(scope + ".proxy")) {
        problems.add(place.problem(scope + ".proxy", "is missing", "set it to the proxy's URL"));
      }
      return null;
    }
    if (servers.stream().anyMatch(server -> server.url().startsWith("unix:"))) {
      String path = scope + ".proxy";
      problems.add(
          firstPlace(path)
              .problem(path, "a server is a Unix-domain socket", "give it an origin of its own"));
    }
    if (servers.stream().anyMatch(OriginServerConfig::isService)) {
      String path = scope + ".proxy";
      problems.add(
          firstPlace(path)
              .problem(
                  path,
                  "a server is an SRV name, which a proxy does not resolve",
                  "give it an origin of its own"));
    }
    String secret = file == null ? password : firstLine(scope + ".proxy-password-file", file);
    return new ProxyConfig(url, user, secret == null ? "" : secret, file);
  }

  private String firstLine(String path, Path file) {
    try {
      if (Files.size(file) <= MAX_PASSWORD_FILE) {
        String all = Files.readString(file, StandardCharsets.ISO_8859_1);
        values.files().note(path, all.getBytes(StandardCharsets.ISO_8859_1));
        String line = all.lines().findFirst().orElse("");
        if (line.matches("[!-~]{1,255}")) {
          return line;
        }
      }
    } catch (IOException e) {
      // Said below.
    }
    problems.add(
        firstPlace(path)
            .problem(path, "the file has no password", "write 1 to 255 visible ASCII characters"));
    return "";
  }

  private void checkFallbacks(List<OriginConfig> origins) {
    Set<String> names = origins.stream().map(OriginConfig::name).collect(Collectors.toSet());
    FallbackOrder order = new FallbackOrder(origins);
    for (OriginConfig origin : origins) {
      String path = "origins." + origin.name() + ".fallback";
      for (String other : origin.fallback()) {
        if (!names.contains(other)) {
          problems.add(
              firstPlace(path)
                  .problem(
                      path,
                      "there is no origin \"" + other + "\"",
                      "name one of: " + String.join(", ", names.stream().sorted().toList())));
        }
      }
      List<String> circle = order.circle(origin.name());
      if (circle != null) {
        problems.add(
            firstPlace(path)
                .problem(path, "a circle: " + String.join(" to ", circle), "remove one of them"));
      }
    }
  }

  /** What is said of a directory in place of servers; null if nothing is. */
  private @Nullable FilesConfig files(String scope) {
    Path directory = value(scope, ConfigKeys.FILES_DIRECTORY);
    String index = value(scope, ConfigKeys.FILES_INDEX);
    Boolean hidden = value(scope, ConfigKeys.FILES_HIDDEN);
    List<String> types = value(scope, ConfigKeys.FILES_TYPES);
    String cacheControl = value(scope, ConfigKeys.FILES_CACHE_CONTROL);
    List<String> precompressed = value(scope, ConfigKeys.FILES_PRECOMPRESSED);
    String path = scope + ".files.directory";
    if (directory == null) {
      SourceLocation place =
          givenPlace(
              path,
              scope + ".files.index",
              scope + ".files.hidden",
              scope + ".files.types",
              scope + ".files.cache-control",
              scope + ".files.precompressed");
      if (place != null && values.get(path) == null) {
        problems.add(place.problem(path, "is missing", "set it to the directory of the files"));
      }
      return null;
    }
    return new FilesConfig(
        directory,
        index == null ? "index.html" : index.equals("none") ? null : index,
        hidden != null && hidden,
        types == null ? List.of() : types,
        cacheControl == null ? "max-age=1" : cacheControl.equals("none") ? null : cacheControl,
        precompressed == null ? List.of() : precompressed);
  }

  /** Notes settings of servers, which a directory has none of; defaults, as in a dump, are none. */
  private void checkFiles(String scope, OriginConfig origin) {
    if (origin.files() == null) {
      return;
    }
    for (Field<OriginConfig, ?> field : ConfigKeys.ORIGINS.fields()) {
      String path = scope + "." + field.name();
      Raw raw = values.get(path);
      if (raw != null
          && !field.name().startsWith("files.")
          && !OF_FILES.contains(field)
          && (field.printed(origin) == null
              || !Objects.equals(field.printed(origin), field.defaultText()))) {
        problems.add(
            raw.place().problem(path, "has no effect on the files of a directory", "remove it"));
      }
    }
    for (String list : List.of(".servers", ".headers")) {
      Map<String, SourceLocation> entries =
          list.equals(".servers")
              ? servers(scope)
              : values.instances(ConfigKeys.ORIGIN_HEADERS.at(scope));
      if (!entries.isEmpty()) {
        problems.add(
            entries
                .values()
                .iterator()
                .next()
                .problem(scope + list, "has no effect on the files of a directory", "remove it"));
      }
    }
  }

  /** The entries of an origin's list of servers by index. */
  private Map<String, SourceLocation> servers(String scope) {
    return values.instances(ConfigKeys.ORIGIN_SERVERS.at(scope));
  }

  /** The servers of an origin: those of its list, or the one of its URL. */
  private List<OriginServerConfig> servers(String scope, SourceLocation place) {
    Map<String, SourceLocation> entries = servers(scope);
    if (entries.isEmpty()) {
      return List.of(OriginServerConfig.of(needed(scope, ConfigKeys.ORIGIN_URL, place)));
    }
    Raw url = values.get(scope + ".url");
    if (url != null) {
      problems.add(
          url.place().problem(scope + ".url", "servers are given as well", "keep one of them"));
    }
    List<OriginServerConfig> servers = new ArrayList<>();
    Set<String> urls = new HashSet<>();
    for (Map.Entry<String, SourceLocation> entry : entries.entrySet()) {
      String own = scope + ".servers." + entry.getKey();
      OriginServerConfig server =
          new OriginServerConfig(
              needed(own, ConfigKeys.SERVER_URL, entry.getValue()),
              given(own, ConfigKeys.SERVER_WEIGHT),
              given(own, ConfigKeys.SERVER_BACKUP),
              given(own, ConfigKeys.SERVER_MAX_CONNECTIONS));
      if (!urls.add(server.url()) && values.get(own + ".url") != null) {
        problems.add(
            firstPlace(own + ".url")
                .problem(own + ".url", "another server has this URL", "give one a higher weight"));
      }
      if (server.isService() && server.weight() != 1) {
        String path = own + ".weight";
        problems.add(
            firstPlace(path)
                .problem(path, "the weights of an SRV name stand in its records", "remove it"));
      }
      servers.add(server);
      for (Field<OriginServerConfig, ?> field : ConfigKeys.ORIGIN_SERVERS.fields()) {
        Raw raw = values.get(own + "." + field.name());
        if (raw != null) {
          sources.put(
              scope + ".servers." + (servers.size() - 1) + "." + field.name(), raw.place().text());
        }
      }
    }
    SourceLocation first = entries.values().iterator().next();
    if (servers.stream().allMatch(OriginServerConfig::isBackup)) {
      problems.add(
          first.problem(
              scope + ".servers", "every server is a backup", "remove backup from one of them"));
    }
    if (servers.size() > MAX_SERVERS) {
      problems.add(
          first.problem(
              scope + ".servers",
              servers.size() + " servers",
              "list at most " + MAX_SERVERS + "; a name may resolve to several addresses"));
    }
    return List.copyOf(servers);
  }

  private ProbeConfig probe(String scope) {
    return new ProbeConfig(
        given(scope, ConfigKeys.PROBE_TYPE),
        given(scope, ConfigKeys.PROBE_PATH),
        given(scope, ConfigKeys.PROBE_METHOD),
        given(scope, ConfigKeys.PROBE_STATUSES),
        value(scope, ConfigKeys.PROBE_TEXT),
        given(scope, ConfigKeys.PROBE_TEXT_WITHIN),
        value(scope, ConfigKeys.PROBE_HOST),
        value(scope, ConfigKeys.PROBE_PORT),
        value(scope, ConfigKeys.PROBE_TLS_NAME),
        given(scope, ConfigKeys.PROBE_INTERVAL),
        given(scope, ConfigKeys.PROBE_TIMEOUT),
        given(scope, ConfigKeys.PROBE_JITTER),
        given(scope, ConfigKeys.PROBE_HEALTHY),
        given(scope, ConfigKeys.PROBE_UNHEALTHY),
        given(scope, ConfigKeys.PROBE_WINDOW),
        given(scope, ConfigKeys.PROBE_INITIAL));
  }

  /** Where HTTP/2 cannot be: a connection for one client, and one that begins with CONNECT. */
  private void checkProtocol(String scope, OriginConfig origin) {
    if (origin.protocol() != OriginProtocol.HTTP2) {
      return;
    }
    if (origin.egress().proxyProtocol()) {
      String path = scope + "." + ConfigKeys.ORIGIN_PROXY_PROTOCOL.name();
      problems.add(
          firstPlace(path)
              .problem(path, "needs HTTP/1.1, and protocol is http2", "set protocol to auto"));
    }
    boolean isPlain =
        origin.servers().stream().anyMatch(server -> !server.url().startsWith("https:"));
    if (origin.egress().proxy() != null && isPlain) {
      String path = scope + "." + ConfigKeys.ORIGIN_PROTOCOL.name();
      problems.add(
          firstPlace(path)
              .problem(path, "http2 through a proxy needs https", "use https URLs, or http1"));
    }
  }

  /** Notes settings of probes that would be without effect; defaults, as in a dump, are none. */
  private void checkProbe(String scope, OriginConfig origin) {
    ProbeConfig probe = origin.probe();
    for (Field<OriginConfig, ?> field : ConfigKeys.PROBE_FIELDS) {
      String path = scope + "." + field.name();
      Raw raw = values.get(path);
      boolean isUseful =
          switch (probe.type()) {
            case OFF -> field.equals(ConfigKeys.PROBE_TYPE);
            case TCP -> !ConfigKeys.PROBE_HTTP_FIELDS.contains(field);
            case HTTP -> true;
          };
      if (raw != null && !isUseful && !Objects.equals(field.printed(origin), field.defaultText())) {
        problems.add(
            raw.place()
                .problem(
                    path,
                    probe.type() == ProbeConfig.Type.OFF
                        ? "has no effect without probes"
                        : "has no effect with probe.type: tcp",
                    "set probe.type: http, or remove it"));
      }
    }
    if (probe.window() > 0 && probe.window() < probe.unhealthy()) {
      String path = scope + "." + ConfigKeys.PROBE_WINDOW.name();
      problems.add(
          firstPlace(path)
              .problem(
                  path,
                  "smaller than probe.unhealthy, so no address would ever fail",
                  "set " + probe.unhealthy() + " or more, or 0 for failures in a row"));
    }
    if (probe.text() != null && probe.method().equals("HEAD")) {
      String path = scope + "." + ConfigKeys.PROBE_TEXT.name();
      problems.add(
          firstPlace(path)
              .problem(path, "a response to HEAD has no text", "set probe.method: GET"));
    }
  }

  private OriginConfig origin(String name, List<OriginServerConfig> servers) {
    String scope = "origins." + name;
    OriginConfig origin =
        new OriginConfig(
            name,
            servers,
            given(scope, ConfigKeys.ORIGIN_BALANCE),
            new RetryConfig(
                given(scope, ConfigKeys.ORIGIN_RETRY_ATTEMPTS),
                given(scope, ConfigKeys.ORIGIN_RETRY_STATUSES).stream()
                    .map(Integer::valueOf)
                    .toList(),
                given(scope, ConfigKeys.ORIGIN_RETRY_BUDGET),
                given(scope, ConfigKeys.ORIGIN_RETRY_HEDGE),
                given(scope, ConfigKeys.ORIGIN_RETRY_RESUME)),
            new EjectionConfig(
                given(scope, ConfigKeys.ORIGIN_EJECTION_FAILURES),
                given(scope, ConfigKeys.ORIGIN_EJECTION_GATEWAY_ERRORS),
                given(scope, ConfigKeys.ORIGIN_EJECTION_TIME),
                given(scope, ConfigKeys.ORIGIN_EJECTION_MAX_SHARE),
                given(scope, ConfigKeys.ORIGIN_EJECTION_PANIC),
                new SlowConfig(
                    given(scope, ConfigKeys.ORIGIN_EJECTION_SLOW_FACTOR),
                    given(scope, ConfigKeys.ORIGIN_EJECTION_SLOW_TIME),
                    given(scope, ConfigKeys.ORIGIN_EJECTION_SLOW_MIN))),
            probe(scope),
            given(scope, ConfigKeys.ORIGIN_SLOW_START),
            value(scope, ConfigKeys.ORIGIN_HOST),
            given(scope, ConfigKeys.ORIGIN_PROTOCOL),
            given(scope, ConfigKeys.ORIGIN_MAX_CONNECTIONS),
            file(scope, ConfigKeys.ORIGIN_TRUST),
            given(scope, ConfigKeys.ORIGIN_ALLOW_LOOPBACK_NAMES),
            given(scope, ConfigKeys.ORIGIN_ALLOW_PRIVATE_NAMES),
            given(scope, ConfigKeys.ORIGIN_CONNECT),
            given(scope, ConfigKeys.ORIGIN_FIRST_BYTE),
            given(scope, ConfigKeys.ORIGIN_IDLE),
            given(scope, ConfigKeys.ORIGIN_TOTAL),
            given(scope, ConfigKeys.ORIGIN_KEEP_ALIVE),
            new SigningBinder(values, problems, sources).bind(scope),
            given(scope, ConfigKeys.ORIGIN_FALLBACK),
            tls(scope, servers),
            new EgressConfig(
                given(scope, ConfigKeys.ORIGIN_PROXY_PROTOCOL).equals("v2"),
                given(scope, ConfigKeys.ORIGIN_SOURCE_ADDRESS),
                proxy(scope, servers),
                given(scope, ConfigKeys.ORIGIN_OTHER_FAMILY)),
            new ProtectionConfig(
                given(scope, ConfigKeys.ORIGIN_MAX_WAITING),
                adaptive(scope),
                given(scope, ConfigKeys.ORIGIN_EJECTION_CIRCUIT)),
            files(scope));
    if (origin.files() == null) {
      checkProbe(scope, origin);
      checkProtocol(scope, origin);
    } else {
      checkFiles(scope, origin);
    }
    for (Field<OriginConfig, ?> field : ConfigKeys.ORIGINS.fields()) {
      source(ConfigKeys.ORIGINS, name, field, scope + "." + field.name());
    }
    return origin;
  }
}
