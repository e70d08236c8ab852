package io.forebay.e2e.imported;

import io.forebay.testing.Certificates;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What takes the place of the surroundings of a real file, so that it runs on this machine: the
 * same text always gets the same stand-in.
 *
 * <pre>
 *   a port to listen on        a free port, plain or with TLS as the file says
 *   the address of an origin   one of {@link EchoOrigin}
 *   what speaks no HTTP        a port that nobody listens on
 *   a directory of files       one below the directory of the test, with three pages
 *   certificates and keys      of an authority of the test
 *   a list of users            one with u:secret
 * </pre>
 */
final class Loopback {
  /** Nobody listens there. */
  static final String NOBODY = "127.0.0.1:9";

  /** The password is {@code secret}. */
  private static final String USERS =
      "u:$2y$05$Cg9rh0T.nF2nWVjrcAmvFO3IAsA8vC5kwumIupQiqvEqp6ifwu6Fa\n";

  private final Path home;
  private final List<PathOrigin> origins;
  private final Map<String, Entrance> entrances = new LinkedHashMap<>();
  private int nextOrigin;

  /**
   * Where clients come in.
   *
   * @param number of the port in the file
   */
  record Entrance(String number, int port, boolean isTls) {}

  Loopback(Path home, List<PathOrigin> origins) {
    this.home = home;
    this.origins = origins;
  }

  Path home() {
    return home;
  }

  /** The port that stands for one of the file. */
  int port(String number, boolean isTls) throws IOException {
    Entrance known = entrances.get(number);
    if (known == null) {
      known = new Entrance(number, Ports.free(), isTls);
      entrances.put(number, known);
    }
    return known.port();
  }

  List<Entrance> entrances() {
    return List.copyOf(entrances.values());
  }

  /** The address of the next origin: servers of a group are different ones. */
  String origin() {
    return "127.0.0.1:" + origins.get(nextOrigin++ % origins.size()).port();
  }

  /** The first origin from now on again. */
  void firstOrigin() {
    nextOrigin = 0;
  }

  /** A directory that stands for another one; relative ones begin at that of the program. */
  Path directory(String named) throws IOException {
    Path directory = home.resolve("files").resolve(named.replaceAll("^/+", "")).normalize();
    if (Files.isRegularFile(directory)) {
      return directory;
    }
    Files.createDirectories(directory.resolve("sub"));
    for (String file : List.of("index.html", "page.html", "sub/index.html", "style.css")) {
      if (!Files.exists(directory.resolve(file))) {
        Files.writeString(directory.resolve(file), ("<p>" + file + "\n").repeat(200));
      }
    }
    return directory;
  }

  Path file(String name) {
    return home.resolve(name);
  }

  Path users() throws IOException {
    return Files.writeString(home.resolve("users"), USERS);
  }

  /** The file of a certificate, or of its key. */
  Path certificate(boolean isKey) throws Exception {
    Path file = home.resolve(isKey ? "cert.key" : "cert.pem");
    if (!Files.exists(file)) {
      Certificates.in(home).ecdsa("cert", "localhost");
    }
    return file;
  }

  Path authority() throws Exception {
    boolean isKey = false;
    certificate(isKey);
    return home.resolve("ca.pem");
  }

  /** Names of hosts that occur in a text, in their order, without those that are files. */
  static List<String> hosts(String text) {
    List<String> hosts = new ArrayList<>();
    var matcher =
        java.util.regex.Pattern.compile(
                "(?<![\\w./$@-])(\\*\\.|\\.)?((?:[a-zA-Z0-9_-]+\\\\?\\.)+([a-zA-Z]{2,}))(?![\\w-])(?![\\w/.-]*\\()")
            .matcher(text);
    while (matcher.find()) {
      String host = matcher.group(2).replace("\\", "").toLowerCase(java.util.Locale.ROOT);
      boolean isFile =
          matcher
              .group(3)
              .matches(
                  "(?i)conf|config|html?|php|css|js|png|jpe?g|gif|ico|svg|txt|log|sock|socket|pem|crt|key"
                      + "|cgi|pl|py|xml|json|so|yaml|yml|vcl|types|params|pid|fcgi|http|url|method|ip"
                      + "|status|ttl|grace|sh|gz|lua|host|reason|psgi|wsgi|asp|aspx|rb|uri|path");
      if (!isFile && !hosts.contains(host) && !host.contains("_")) {
        hosts.add(matcher.group(1) == null ? host : "any." + host);
      }
    }
    return hosts.stream().distinct().toList();
  }
}
