package io.forebay.e2e.imported;

import io.forebay.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A Caddyfile. What is replaced in it, line by line:
 *
 * <pre>
 *   addresses of sites         http:// and a free port for each port; 80 without one
 *   global options             no admin API, no automatic HTTPS, on loopback; in place of what the file
 *                              says of these, and of ports, authorities and listeners
 *   tls and bind of a site     taken out
 *   addresses of reverse_proxy origins of the test
 *   root                       a stand-in
 * </pre>
 */
final class CaddySite {
  private static final Pattern OPTIONS =
      Pattern.compile(
          "(admin|auto_https|default_bind|http_port|https_port|email|acme_.*|local_certs|debug|pki"
              + "|on_demand_tls|cert_issuer|ocsp_.*|key_type|skip_install_trust|storage.*|default_sni"
              + "|cert_lifetime|renew_.*|preferred_chains|persist_config)\\b.*");

  private static final String OWN_OPTIONS =
      "\n\tadmin off\n\tauto_https off\n\tdefault_bind 127.0.0.1\n\thttp_port HTTP_PORT";

  private final Loopback loopback;
  private final List<String> lines;
  private final List<String> made = new ArrayList<>();

  private CaddySite(Loopback loopback, String text) {
    this.loopback = loopback;
    this.lines = text.lines().toList();
  }

  static Site of(String text, Loopback loopback, Path program) throws Exception {
    Path file = loopback.file("Caddyfile");
    Files.writeString(file, new CaddySite(loopback, text).replaced());
    return new Site(
        file,
        loopback.home(),
        List.of(),
        List.of(program.toString(), "run", "--config", file.toString()));
  }

  private String replaced() throws IOException {
    int depth = 0;
    boolean isOptions = false;
    int droppedAt = -1;
    boolean hasBraces = hasBraces();
    boolean isAddressed = hasBraces;
    boolean hasOptions = false;
    for (String line : lines) {
      String bare = line.strip();
      boolean opens = bare.endsWith("{") && !bare.startsWith("#");
      boolean closes = bare.equals("}");
      if (closes) {
        depth--;
      }
      String put = line;
      if (droppedAt >= 0) {
        put = "";
        if (closes && depth == droppedAt) {
          droppedAt = -1;
        }
      } else if (bare.isEmpty() || bare.startsWith("#")) {
        put = "";
      } else if (depth == 0 && bare.equals("{")) {
        isOptions = true;
        hasOptions = true;
        put = "{" + OWN_OPTIONS;
      } else if (depth == 0 && closes) {
        isOptions = false;
      } else if (depth == 0 && (bare.startsWith("(") || bare.startsWith("&("))) {
        put = line;
      } else if (depth == 0 && hasBraces) {
        put = addresses(bare.replaceFirst("\\{$", "")) + (opens ? " {" : "");
      } else if (depth == 0 && !isAddressed) {
        put = addresses(bare);
        isAddressed = bare.endsWith(",") ? isAddressed : true;
      } else if (isOptions && depth == 1 && !closes && OPTIONS.matcher(bare).matches()) {
        put = "";
        droppedAt = opens ? depth : -1;
      } else if (!isOptions && bare.matches("(tls|bind)(\\s.*)?") && depth <= 1) {
        put = "";
        droppedAt = opens ? depth : -1;
      } else {
        put = statement(line, bare);
      }
      made.add(put);
      if (opens) {
        depth++;
      }
    }
    String text = String.join("\n", made) + "\n";
    boolean isOnDefault =
        loopback.entrances().stream().anyMatch(entrance -> entrance.number().equals("80"));
    int http = isOnDefault ? loopback.port("80", false) : Ports.free();
    return (hasOptions ? text : "{" + OWN_OPTIONS + "\n}\n" + text)
        .replace("HTTP_PORT", String.valueOf(http));
  }

  /** Whether sites have braces: a file with one site may go without. */
  private boolean hasBraces() {
    int depth = 0;
    for (String line : lines) {
      String bare = line.strip();
      if (bare.equals("}")) {
        depth--;
      } else if (bare.endsWith("{")) {
        if (depth == 0 && !bare.matches("(\\{|\\(.*|&\\(.*)")) {
          return true;
        }
        depth++;
      } else if (depth == 0 && !bare.isEmpty() && !bare.startsWith("#") && !bare.endsWith(",")) {
        return false;
      }
    }
    return true;
  }

  private String addresses(String text) throws IOException {
    List<String> all = new ArrayList<>();
    for (String each : text.strip().split("[,\\s]+", -1)) {
      if (each.isEmpty()) {
        continue;
      }
      String rest = each.replaceFirst("^https?://", "");
      String host = rest.replaceFirst(":\\d+$", "").replaceFirst(":$", "");
      String number = rest.matches(".*:\\d+") ? rest.replaceFirst(".*:", "") : "80";
      all.add("http://" + host + ":" + loopback.port(number, false));
    }
    String made = String.join(", ", all.stream().distinct().toList());
    return text.strip().endsWith(",") ? made + "," : made;
  }

  private String statement(String line, String bare) throws IOException {
    String indent = line.substring(0, line.indexOf(bare));
    String[] words = bare.split("\\s+", -1);
    if (words[0].equals("reverse_proxy") || (words[0].equals("to") && !bare.contains("{re"))) {
      List<String> all = new ArrayList<>(List.of(words[0]));
      loopback.firstOrigin();
      for (int i = 1; i < words.length; i++) {
        boolean isMatcher =
            i == 1 && words[0].equals("reverse_proxy") && words[1].matches("[/*@].*");
        boolean isAddress = !isMatcher && !words[i].equals("{") && words[i].indexOf('{') < 0;
        all.add(isAddress ? loopback.origin() : words[i]);
      }
      return indent + String.join(" ", all);
    }
    if (words[0].equals("root") && words.length >= 2 && words[words.length - 1].indexOf('{') < 0) {
      String directory = loopback.directory(words[words.length - 1]).toString();
      words[words.length - 1] = directory;
      return indent + String.join(" ", words);
    }
    return line;
  }
}
