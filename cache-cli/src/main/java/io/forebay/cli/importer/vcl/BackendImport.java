package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.VclExpression.Amount;
import io.forebay.cli.importer.vcl.VclExpression.Call;
import io.forebay.cli.importer.vcl.VclExpression.Name;
import io.forebay.cli.importer.vcl.VclProgram.Backend;
import io.forebay.cli.importer.vcl.VclProgram.Probe;
import io.forebay.cli.importer.vcl.VclProgram.Setting;
import io.forebay.cli.importer.vcl.VclStatement.Assign;
import io.forebay.cli.importer.vcl.VclStatement.Invoke;
import io.forebay.cli.importer.vcl.VclStatement.New;
import io.forebay.cli.importer.vcl.VclStatement.Return;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Backends with their probes, and directors, as origins. */
final class BackendImport {
  private final ImportReport report;
  private final ConfigDraft draft;
  private final VclProgram program;
  private final Map<String, Director> directors = new LinkedHashMap<>();

  /** Origins that have been made, by the names of backends and directors. */
  private final Map<String, String> made = new LinkedHashMap<>();

  private static final class Director {
    private final New declared;
    private final String kind;
    private final List<Invoke> members = new ArrayList<>();

    Director(New declared, String kind) {
      this.declared = declared;
      this.kind = kind;
    }
  }

  BackendImport(ImportReport report, ConfigDraft draft, VclProgram program) {
    this.report = report;
    this.draft = draft;
    this.program = program;
  }

  /** The statements of {@code vcl_init}: directors and their backends. */
  void init(List<VclStatement> statements) {
    for (VclStatement statement : statements) {
      switch (statement) {
        case New made when made.value() instanceof Call(String name, List<VclExpression> _) -> {
          if (name.startsWith("directors.")) {
            directors.put(made.name(), new Director(made, name.substring(10)));
          } else {
            report.left(made.of(), "there is nothing like it");
          }
        }
        case Invoke invoke -> member(invoke);
        case Return returned when returned.action().equals("ok") -> report.taken(returned.of());
        case Assign assign -> report.left(assign.of(), "there is nothing like it");
        default -> report.allLeft(statement.of(), "there is nothing like it");
      }
    }
  }

  private void member(Invoke invoke) {
    int dot = invoke.call().name().lastIndexOf('.');
    Director director = dot < 0 ? null : directors.get(invoke.call().name().substring(0, dot));
    String method = invoke.call().name().substring(dot + 1);
    if (director == null) {
      if (invoke.call().name().startsWith("std.")) {
        report.unneeded(invoke.of(), "only for the log of Varnish");
      } else {
        report.left(invoke.of(), "there is nothing like it");
      }
      return;
    }
    switch (method) {
      case "add_backend" -> director.members.add(invoke);
      case "reconfigure" -> report.unneeded(invoke.of(), "servers are known at once");
      case "set_warmup", "set_rampup" -> report.left(invoke.of(), "see slow-start of the origin");
      default -> report.left(invoke.of(), "origins have no such setting");
    }
  }

  /** The backend that is asked where nothing says otherwise, or null. */
  @Nullable String defaultName() {
    return program.backends().containsKey("default")
        ? "default"
        : program.backends().keySet().stream().findFirst().orElse(null);
  }

  /** The origin of what {@code req.backend_hint} is set to. */
  String origin(VclExpression hint) throws UntranslatableException {
    String name =
        switch (hint) {
          case Name(String variable) -> variable;
          case Call(String method, List<VclExpression> _) when method.endsWith(".backend") ->
              method.substring(0, method.length() - 8);
          default -> throw new UntranslatableException("an origin that is computed");
        };
    return origin(name);
  }

  /** The origin of a backend or a director. */
  String origin(String name) throws UntranslatableException {
    String known = made.get(name);
    if (known != null) {
      return known;
    }
    Backend backend = program.backends().get(name);
    Map<String, Object> settings =
        backend != null ? settings(backend) : settings(director(name), new LinkedHashSet<>());
    String origin = draft.origin(name, settings);
    made.put(name, origin);
    return origin;
  }

  private Director director(String name) throws UntranslatableException {
    Director director = directors.get(name);
    if (director == null) {
      throw new UntranslatableException("there is no backend or director " + name);
    }
    return director;
  }

  /** What nothing refers to. */
  void unused() {
    for (Backend backend : program.backends().values()) {
      if (!report.knows(backend.of())) {
        report.allUnneeded(backend.of(), "no request goes to it");
      }
    }
    for (Director director : directors.values()) {
      if (!report.knows(director.declared.of())) {
        report.unneeded(director.declared.of(), "no request goes to it");
        director.members.forEach(member -> report.unneeded(member.of(), "no request goes to it"));
      }
    }
  }

  // --- directors --------------------------------------------------------------------------------

  private Map<String, Object> settings(Director director, Set<Director> open)
      throws UntranslatableException {
    Directive of = director.declared.of();
    if (!open.add(director)) {
      throw new UntranslatableException("a director within itself");
    }
    List<Map<String, Object>> servers = new ArrayList<>();
    Map<String, Object> common = new LinkedHashMap<>();
    boolean isFirst = true;
    for (Invoke member : director.members) {
      VclExpression added = member.call().argument(0);
      if (!(added instanceof Name(String name))) {
        report.left(member.of(), "a backend that is computed");
        continue;
      }
      Backend backend = program.backends().get(name);
      Director inner = directors.get(name);
      Map<String, Object> own;
      if (backend != null) {
        own = settings(backend);
      } else if (inner != null) {
        own = settings(inner, open);
        report.adapted(member.of(), "its servers are among the others");
      } else {
        report.left(member.of(), "there is no backend " + name);
        continue;
      }
      Object max = own.remove("max-connections");
      for (Map<String, Object> server : servers(own)) {
        if (max != null) {
          server.put("max-connections", max);
        }
        weight(member, server);
        if (director.kind.equals("fallback") && !isFirst) {
          server.put("backup", "true");
        }
        servers.add(server);
      }
      common(own, common, isFirst, member);
      isFirst = false;
      report.taken(member.of());
    }
    open.remove(director);
    Map<String, Object> origin = new LinkedHashMap<>();
    origin.put(
        "servers", servers.stream().map(one -> one.size() == 1 ? one.get("url") : one).toList());
    String balance =
        switch (director.kind) {
          case "round_robin" -> "round-robin";
          case "random" -> "random";
          case "hash", "shard" -> "consistent";
          default -> "";
        };
    if (!balance.isEmpty()) {
      origin.put("balance", balance);
    }
    origin.putAll(common);
    switch (director.kind) {
      case "round_robin", "random" -> report.taken(of);
      case "hash" -> report.adapted(of, "differs: the hash is that of the URL");
      case "shard" -> report.adapted(of, "differs: by URL, with another hash");
      case "fallback" -> {
        if (servers.size() > 2) {
          report.adapted(of, "differs: servers after the first one are equal among themselves");
        } else {
          report.taken(of);
        }
      }
      default -> {
        report.left(of, "origins have no balance like " + director.kind);
        throw new UntranslatableException("origins have no balance like " + director.kind);
      }
    }
    if (servers.isEmpty()) {
      throw new UntranslatableException("a director without backends");
    }
    return origin;
  }

  private static List<Map<String, Object>> servers(Map<String, Object> origin) {
    Object url = origin.remove("url");
    origin.remove("balance");
    List<Map<String, Object>> servers = new ArrayList<>();
    if (origin.remove("servers") instanceof List<?> list) {
      for (Object one : list) {
        Map<String, Object> server = new LinkedHashMap<>();
        if (one instanceof Map<?, ?> map) {
          map.forEach((key, value) -> server.put(String.valueOf(key), value));
        } else {
          server.put("url", one);
        }
        servers.add(server);
      }
    } else if (url != null) {
      servers.add(new LinkedHashMap<>(Map.of("url", url)));
    }
    return servers;
  }

  private void weight(Invoke member, Map<String, Object> server) {
    VclExpression given = member.call().argument(1);
    if (given instanceof Amount(String weight) && weight.matches("\\d{1,4}(\\.0+)?")) {
      int whole = Integer.parseInt(weight.replaceAll("\\..*", ""));
      if (whole > 1 && whole <= 1000) {
        server.put("weight", String.valueOf(whole));
      }
    } else if (given instanceof Amount) {
      report.left(member.of(), "weights are whole numbers");
    }
  }

  private void common(
      Map<String, Object> own, Map<String, Object> common, boolean isFirst, Invoke member) {
    if (isFirst) {
      common.putAll(own);
    } else if (!own.equals(common)) {
      report.adapted(member.of(), "differs: probes and timeouts are those of the first server");
    }
  }

  // --- backends ---------------------------------------------------------------------------------

  private Map<String, Object> settings(Backend backend) {
    report.taken(backend.of());
    Map<String, Object> origin = new LinkedHashMap<>();
    Map<String, Object> timeouts = new LinkedHashMap<>();
    String host = "127.0.0.1";
    String port = "80";
    String socket = "";
    for (Setting setting : backend.settings()) {
      Directive of = setting.of();
      try {
        switch (setting.name().toLowerCase(Locale.ROOT)) {
          case "host" -> host = text(setting);
          case "port" -> port = text(setting);
          case "path" -> socket = text(setting);
          case "connect_timeout" -> timeouts.put("connect", positive(setting, 300_000));
          case "first_byte_timeout" -> timeouts.put("first-byte", positive(setting, 3_600_000));
          case "between_bytes_timeout" -> timeouts.put("idle", positive(setting, 3_600_000));
          case "max_connections" ->
              origin.put(
                  "max-connections", String.valueOf(Math.clamp(number(setting), 1, 100_000)));
          case "probe" -> origin.put("probe", probe(setting));
          case "proxy_header" -> {
            origin.put("proxy-protocol", "v2");
            if (!text(setting).equals("2")) {
              report.adapted(of, "differs: version 2");
            }
          }
          case "host_header" -> {
            // Varnish sends it where a request has no Host.
            report.adapted(of, "clients send Host, and so does the node; for all: host of origins");
            continue;
          }
          case "backend_wait_limit", "backend_wait_timeout", "wait_limit", "wait_timeout" ->
              throw new UntranslatableException("see max-waiting of the origin");
          default -> throw new UntranslatableException("origins have no such setting");
        }
        if (!report.knows(of)) {
          report.taken(of);
        }
      } catch (UntranslatableException e) {
        report.allLeft(of, e.reason());
      }
    }
    if (backend.settings().isEmpty()) {
      report.adapted(backend.of(), "an address that nothing listens on: 503 of Varnish is 502");
      origin.put("url", "http://127.0.0.1:9");
      return origin;
    }
    if (socket.isEmpty()) {
      String name = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
      boolean isJoined = host.matches("[^:]+:\\d+");
      String address = isJoined ? host : port.equals("80") ? name : name + ":" + port(port);
      origin.put("url", "http://" + address);
    } else {
      origin.put("url", "unix:" + socket);
    }
    Object probe = origin.remove("probe");
    Object url = origin.remove("url");
    Map<String, Object> ordered = new LinkedHashMap<>();
    ordered.put("url", url);
    ordered.putAll(origin);
    if (!timeouts.isEmpty()) {
      ordered.put("timeouts", timeouts);
    }
    if (probe != null) {
      ordered.put("probe", probe);
    }
    return ordered;
  }

  private static String port(String port) {
    return port.equals("http") ? "80" : port;
  }

  private static String text(Setting setting) throws UntranslatableException {
    if (setting.values().size() != 1) {
      throw new UntranslatableException("one value was expected");
    }
    return setting.values().getFirst() instanceof Name(String name)
        ? name
        : VclNames.constant(setting.values().getFirst());
  }

  private static String positive(Setting setting, long max) throws UntranslatableException {
    VclExpression value = setting.values().size() == 1 ? setting.values().getFirst() : new Name("");
    String time = VclNames.duration(value);
    if (time.equals("0s") || VclNames.millis(value) > max) {
      throw new UntranslatableException("a time of 0, or one that is too long");
    }
    return time;
  }

  private Map<String, Object> probe(Setting setting) throws UntranslatableException {
    List<Setting> block = setting.block();
    if (block != null) {
      return probe(block);
    }
    String name = text(setting);
    Probe probe = program.probes().get(name);
    if (probe == null) {
      throw new UntranslatableException("there is no probe " + name);
    }
    report.taken(probe.of());
    return probe(probe.settings());
  }

  private Map<String, Object> probe(List<Setting> settings) {
    Map<String, Object> probe = new LinkedHashMap<>();
    probe.put("type", "http");
    int window = 8;
    int threshold = 3;
    for (Setting setting : settings) {
      Directive of = setting.of();
      try {
        switch (setting.name().toLowerCase(Locale.ROOT)) {
          case "url" -> probe.put("path", text(setting));
          case "request" -> request(setting, probe);
          case "expected_response" -> probe.put("statuses", List.of(text(setting)));
          case "timeout" -> probe.put("timeout", positive(setting, 60_000));
          case "interval" -> probe.put("interval", positive(setting, 3_600_000));
          case "window" -> window = number(setting);
          case "threshold" -> threshold = number(setting);
          case "initial" ->
              report.adapted(
                  of, "differs: usable until probe.unhealthy failures; see probe.initial");
          default -> throw new UntranslatableException("probes have no such setting");
        }
        if (!report.knows(of)) {
          report.taken(of);
        }
      } catch (UntranslatableException e) {
        report.left(of, e.reason());
      }
    }
    probe.putIfAbsent("statuses", List.of("200"));
    window = Math.clamp(window, 1, 64);
    threshold = Math.clamp(threshold, 1, window);
    // Sick once fewer than the threshold of a window are good.
    probe.put("unhealthy", String.valueOf(window - threshold + 1));
    probe.put("window", String.valueOf(window));
    return probe;
  }

  private static int number(Setting setting) throws UntranslatableException {
    String text = text(setting);
    if (!text.matches("\\d{1,6}")) {
      throw new UntranslatableException("a number was expected");
    }
    return Integer.parseInt(text);
  }

  private void request(Setting setting, Map<String, Object> probe) throws UntranslatableException {
    boolean isWhole = true;
    boolean isFirst = true;
    for (VclExpression value : setting.values()) {
      for (String line : VclNames.constant(value).split("\r?\n", -1)) {
        String[] words = line.strip().split(" +", -1);
        if (isFirst) {
          isFirst = false;
          if (words.length < 2 || !words[0].matches("GET|HEAD") || !words[1].startsWith("/")) {
            throw new UntranslatableException("probes ask with GET or HEAD for a path");
          }
          probe.put("path", words[1]);
          if (words[0].equals("HEAD")) {
            probe.put("method", "HEAD");
          }
        } else if (words[0].equalsIgnoreCase("host:") && words.length == 2) {
          probe.put("host", words[1]);
        } else if (!line.isBlank() && !words[0].equalsIgnoreCase("connection:")) {
          isWhole = false;
        }
      }
    }
    if (isWhole) {
      report.taken(setting.of());
    } else {
      report.adapted(setting.of(), "differs: probes have no fields but Host");
    }
  }
}
