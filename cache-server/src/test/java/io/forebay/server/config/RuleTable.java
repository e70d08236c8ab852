package io.forebay.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every condition of rules in every form, every phase, every protocol and every kind of answer: the
 * rows of {@code docs/RULE_TABLE.md}. {@link RuleTableReferenceTest} finds out which cells are
 * refused at load, {@code ServerRuleTableTest} runs all others.
 */
public final class RuleTable {
  /** As clients name them: HTTP/1.1 without and with TLS, HTTP/2, HTTP/3. */
  public static final List<String> PROTOCOLS = List.of("plain", "TLS", "HTTP/2", "HTTP/3");

  private static final Set<String> ALL = Set.copyOf(PROTOCOLS);
  private static final Set<String> OVER_TLS = Set.of("TLS", "HTTP/2", "HTTP/3");

  /** What the rule that is tried does, and what shows that it did. */
  public enum Phase {
    CLIENT_REQUEST("respond: {status: 418, text: spoke}"),
    KEY("request-headers: {set: {X-Spoke: \"1\"}}"),
    ORIGIN_REQUEST("pass: true, request-headers: {set: {X-Spoke: \"1\"}}"),
    ORIGIN_RESPONSE("ttl: 50s, stale-if-error: 1h"),
    DELIVERY("response-headers: {set: {X-Spoke: \"1\"}}");

    private final String action;

    Phase(String action) {
      this.action = action;
    }

    public String slug() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String title() {
      return slug().replace('-', ' ');
    }

    public String action() {
      return action;
    }
  }

  /** How the answer comes about without the rule. */
  public enum Kind {
    HIT,
    MISS,
    REVALIDATE,
    STALE,
    ERROR;

    public String slug() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A condition in one of its forms, and a request for which it holds.
   *
   * @param key of the condition, as in the configuration
   * @param form tells the rows of one key apart
   * @param isOfResponse whether it stands under {@code response}
   * @param holds the condition, which holds for the request; {@code SLUG} is the name of the row,
   *     {@code PATHS} a list of all paths that are asked for
   * @param fails the same condition so that it holds over no protocol; empty where there is none
   * @param fields names and values that the request has
   * @param query of the request, empty for none
   * @param protocols over which it holds; over others it never does
   */
  public record Row(
      String key,
      String form,
      boolean isOfResponse,
      String holds,
      String fails,
      List<String> fields,
      String query,
      Set<String> protocols) {

    public String slug() {
      return (isOfResponse ? "response-" : "") + key + (form.isEmpty() ? "" : "-" + form);
    }

    private Row sending(String... nameAndValue) {
      return new Row(
          key, form, isOfResponse, holds, fails, List.of(nameAndValue), query, protocols);
    }

    private Row asking(String newQuery) {
      return new Row(key, form, isOfResponse, holds, fails, fields, newQuery, protocols);
    }

    private Row over(Set<String> newProtocols) {
      return new Row(key, form, isOfResponse, holds, fails, fields, query, newProtocols);
    }

    /** The path of a cell; that of the condition that fails, if the rule is to be silent. */
    public String path(Phase phase, boolean speaks, Kind kind, String protocol) {
      return "/%s/%s/%s/%s/%s.js"
          .formatted(
              slug(),
              phase.slug(),
              speaks ? "y" : "n",
              kind.slug(),
              protocol.toLowerCase(Locale.ROOT).replace('/', '-'));
    }

    private String paths(Phase phase, boolean speaks) {
      return Stream.of(Kind.values())
          .flatMap(kind -> PROTOCOLS.stream().map(protocol -> path(phase, speaks, kind, protocol)))
          .collect(Collectors.joining(", ", "[", "]"));
    }

    /**
     * The entry of {@code routes} for a phase.
     *
     * @param speaks whether the condition is the one that holds
     * @param isKeyed whether the key of the route has the field and the cookies of the table
     */
    public String route(Phase phase, boolean speaks, boolean isKeyed) {
      String condition =
          (speaks ? holds : fails)
              .replace("SLUG", slug())
              .replace("PATHS", speaks ? paths(phase, true) : "[/elsewhere]");
      // Requests with X-Quiet store what is asked for later. It is in no key.
      String quiet = "{not: {header: {X-Quiet: \"*\"}}}";
      String when =
          isOfResponse
              ? "when: " + quiet + ", response: " + condition
              : phase == Phase.KEY
                  ? "when: " + condition
                  : "when: {all: [" + condition + ", " + quiet + "]}";
      return "  - match: {path: /%s/%s/%s/}\n".formatted(slug(), phase.slug(), speaks ? "y" : "n")
          + "    stale-while-revalidate: 0s\n"
          + (isKeyed ? "    key: {headers: [X-M, X-O], cookies: [m, visitor]}\n" : "")
          + "    rules: [{"
          + when
          + ", "
          + phase.action()
          + "}]\n";
    }
  }

  private RuleTable() {}

  /** What the conditions of the table name, beside {@code origins}. */
  public static String named(Path directory) {
    return """
    tls: {ja4: true}
    certificates:
      mutual:
        {certificate: "DIR/pki/mutual.pem", key: "DIR/pki/mutual.key", client-ca: "DIR/pki/ca.pem", client-auth: optional}
    geo: {country-file: "DIR/country.mmdb", asn-file: "DIR/asn.mmdb"}
    splits: {checkout: {by: cookie visitor, groups: {beta: 10%, current: 90%}}}
    matchers:
      marked: {header: {X-M: a-b}}
      unmarked: {header: {X-M: c}}
    """
        .replace("DIR", directory.toString());
  }

  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.add(row("host", "", "a.example", "b.example"));
    rows.add(row("host", "is", "{is: a.example}", "{is: example}"));
    rows.add(row("host", "suffix", "{suffix: .example}", "{suffix: .test}"));
    rows.add(row("host", "glob", "{glob: \"a.*\"}", "{glob: \"b.*\"}"));
    rows.add(row("host", "regex", "{regex: \"^[a-c][.]\"}", "{regex: \"^[d-f][.]\"}"));
    rows.add(row("path", "", "/SLUG/", "/SLUG/other/"));
    rows.add(row("path", "is", "{is: PATHS}", "{is: PATHS}"));
    rows.add(row("path", "prefix", "{prefix: [/x, /SLUG]}", "{prefix: [/x]}"));
    rows.add(row("path", "suffix", "{suffix: .js}", "{suffix: .css}"));
    rows.add(row("path", "extension", "{extension: [css, js]}", "{extension: s}"));
    rows.add(row("path", "glob", "{glob: \"/SLUG/*.js\"}", "{glob: \"/SLUG/*.?\"}"));
    rows.add(
        row("path", "regex", "{regex: \"^/SLUG/.+[.]js$\"}", "{regex: \"^/SLUG/.+s[.]css$\"}"));
    rows.add(row("method", "", "GET", "PUT"));
    rows.add(row("method", "safe", "[GET, HEAD]", "[POST, PUT]"));
    rows.add(row("query", "", "{m: a-b}", "{m: a}").asking("m=a-b"));
    rows.add(row("query", "encoded", "{m: a-b}", "{m: \"a%2db\"}").asking("m=a%2db&n"));
    rows.add(row("query", "regex", "{m: {regex: \"^a.b$\"}}", "{m: {regex: b.a}}").asking("m=a-b"));
    rows.add(row("header", "", "{X-M: [c, a-b]}", "{X-M: A-B}").sending("x-m", "a-b"));
    rows.add(row("header", "wildcard", "{X-M: \"a?*\"}", "{X-M: \"?\"}").sending("x-m", "a-b"));
    rows.add(row("header", "is", "{X-M: {is: a-b}}", "{X-M: {is: \"a*\"}}").sending("x-m", "a-b"));
    rows.add(
        row("header", "prefix", "{X-M: {prefix: a-}}", "{X-M: {prefix: -b}}")
            .sending("x-m", "a-b"));
    rows.add(
        row("header", "suffix", "{X-M: {suffix: -b}}", "{X-M: {suffix: a-}}")
            .sending("x-m", "a-b"));
    rows.add(
        row("header", "glob", "{X-M: {glob: \"?-?\"}}", "{X-M: {glob: \"?-\"}}")
            .sending("x-m", "a-b"));
    rows.add(
        row("header", "regex", "{X-M: {regex: \"[ax]-\"}}", "{X-M: {regex: \"[ax]b\"}}")
            .sending("x-m", "a-b"));
    rows.add(
        row("header", "present", "{X-M: {present: true}}", "{X-O: {present: true}}")
            .sending("x-m", "a-b"));
    rows.add(row("cookie", "", "{m: a-b}", "{m: a}").sending("cookie", "l=c; m=a-b; n=d"));
    rows.add(
        row("cookie", "regex", "{m: {regex: \"^a.b$\"}}", "{m: {regex: \"c|d\"}}")
            .sending("cookie", "l=c; m=a-b; n=d"));
    rows.add(row("client", "", "[10.0.0.0/8, 127.0.0.0/8]", "[10.0.0.0/8, \"::/0\"]"));
    rows.add(row("country", "", "[DE, FR]", "FR"));
    rows.add(row("asn", "", "AS64500", "[64501, 64502]"));
    rows.add(row("listener", "plain", "plain", "").over(Set.of("plain")));
    rows.add(row("listener", "secure", "secure", "").over(OVER_TLS));
    rows.add(row("scheme", "http", "http", "").over(Set.of("plain")));
    rows.add(row("scheme", "https", "https", "").over(OVER_TLS));
    rows.add(row("protocol", "http-1.1", "HTTP/1.1", "HTTP/1.0").over(Set.of("plain", "TLS")));
    rows.add(row("protocol", "http-2", "HTTP/2", "HTTP/1.0").over(Set.of("HTTP/2")));
    rows.add(row("protocol", "http-3", "HTTP/3", "HTTP/1.0").over(Set.of("HTTP/3")));
    rows.add(row("tls-version", "", "TLSv1.3", "TLSv1.2").over(OVER_TLS));
    rows.add(row("server-name", "", "a.example", "b.example").over(OVER_TLS));
    rows.add(row("ja4", "", "\"t13d*\"", "\"q*\"").over(Set.of("TLS", "HTTP/2")));
    rows.add(row("client-certificate", "", "{verified: false}", "{verified: true}"));
    // The clock of the table: a Thursday, about 10:00.
    rows.add(
        row("time", "", "{from: \"09:30\", to: \"11:00\"}", "{from: \"11:00\", to: \"09:30\"}"));
    rows.add(row("time", "days", "{days: [mon, thu]}", "{days: [fri]}"));
    rows.add(
        row(
            "time",
            "zone",
            "{days: thu, from: \"22:00\", to: \"02:00\", zone: Pacific/Auckland}",
            "{days: wed, from: \"22:00\", to: \"02:00\", zone: Pacific/Auckland}"));
    rows.add(
        row("split", "", "{checkout: beta}", "{checkout: current}")
            .sending("cookie", "visitor=bob"));
    rows.add(row("matches", "", "marked", "unmarked").sending("x-m", "a-b"));
    rows.add(
        row(
                "expression",
                "",
                "'request.headers.get(\"x-m\") == \"a-b\"'",
                "'request.headers.get(\"x-m\") == \"b\"'")
            .sending("x-m", "a-b"));
    rows.add(
        row(
                "all",
                "",
                "[{host: a.example}, {header: {X-M: a-b}}]",
                "[{host: a.example}, {header: {X-M: c}}]")
            .sending("x-m", "a-b"));
    rows.add(
        row(
                "any",
                "",
                "[{host: b.example}, {header: {X-M: a-b}}]",
                "[{host: b.example}, {header: {X-M: c}}]")
            .sending("x-m", "a-b"));
    rows.add(row("not", "", "{header: {X-M: c}}", "{header: {X-M: a-b}}").sending("x-m", "a-b"));
    rows.add(ofResponse("status", "", "[2xx, 503]", "[404, 500-502]"));
    rows.add(ofResponse("content-type", "", "\"text/*\"", "text/css"));
    rows.add(ofResponse("header", "", "{X-R: a-b}", "{X-R: a}"));
    rows.add(ofResponse("header", "regex", "{X-R: {regex: \"a.b\"}}", "{X-R: {regex: b.a}}"));
    rows.add(
        ofResponse(
            "expression",
            "",
            "'response.headers.get(\"x-r\") == \"a-b\"'",
            "'response.status == 201'"));
    return List.copyOf(rows);
  }

  private static Row row(String key, String form, String holds, String fails) {
    return new Row(
        key,
        form,
        false,
        "{" + key + ": " + holds + "}",
        fails.isEmpty() ? "" : "{" + key + ": " + fails + "}",
        List.of(),
        "",
        ALL);
  }

  private static Row ofResponse(String key, String form, String holds, String fails) {
    return new Row(
        key,
        form,
        true,
        "{" + key + ": " + holds + "}",
        "{" + key + ": " + fails + "}",
        List.of(),
        "",
        ALL);
  }

  /** Whether a row has that key, or that key in that form. */
  static boolean hasRow(String known) {
    return rows().stream()
        .anyMatch(row ->
            known.equals(row.slug())
                || known.equals((row.isOfResponse() ? "response-" : "") + row.key()));
  }

  /** All keys of conditions and their forms that the code knows, as the rows name them. */
  static Set<String> known() {
    Set<String> known = new TreeSet<>(ConditionBinder.KEYS);
    ConditionBinder.RESPONSE_KEYS.forEach(key -> known.add("response-" + key));
    ConditionBinder.HOST_KEYS.forEach(form -> known.add("host-" + form));
    ConditionBinder.PATH_KEYS.forEach(form -> known.add("path-" + form));
    ConditionBinder.TEXT_KEYS.forEach(form -> known.add("header-" + form));
    return known;
  }

  /**
   * What is said when a cell is loaded, or an empty text where it is not refused.
   *
   * @param directory where there are the files that {@link #named} names
   */
  public static String refusal(Row row, Phase phase, boolean isKeyed, Path directory)
      throws IOException {
    return problem(named(directory) + "routes:\n" + row.route(phase, true, isKeyed), directory);
  }

  /** The first problem of a configuration without its place; empty where there is none. */
  static String problem(String yaml, Path directory) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("table.yaml"),
            "origins: {main: {url: \"http://127.0.0.1:9\"}}\n"
                + "listen: [{name: plain, address: \":8080\"}, {name: secure, address: \":8443\"}]\n"
                + yaml);
    return switch (new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of())) {
      case ConfigOutcome.Loaded ignored -> "";
      case ConfigOutcome.Refused refused -> refused.problems().getFirst().message();
    };
  }
}
