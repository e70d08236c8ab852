package io.forebay.e2e.imported;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file for nginx. What is replaced in it, statement by statement:
 *
 * <pre>
 *   comments, user, pid, logs, modules, workers,    taken out
 *     includes of the machine's own sites
 *   listen                                          127.0.0.1 and a free port; the IPv6 twin of a port
 *                                                   is taken out
 *   server of an upstream, proxy_pass               an origin of the test; names of upstreams stay
 *   fastcgi_pass, uwsgi_pass, scgi_pass, …          a port that nobody listens on
 *   ssl_certificate and others, users, root, alias  stand-ins
 *   proxy_cache_path                                below the directory of the test
 *   relative includes                               those of /etc/nginx
 * </pre>
 *
 * A file without {@code http} or without {@code server} gets them around it.
 */
final class NginxSite {
  private static final String OUT =
      "user|pid|daemon|master_process|worker_processes|worker_rlimit_nofile|worker_cpu_affinity"
          + "|error_log|access_log|load_module|lock_file|client_body_temp_path|proxy_temp_path"
          + "|fastcgi_temp_path|uwsgi_temp_path|scgi_temp_path|ssl_dhparam|ssl_crl|ssl_password_file"
          + "|pcre_jit|env";

  private final Loopback loopback;
  private String text;

  private NginxSite(Loopback loopback, String text) {
    this.loopback = loopback;
    this.text = text;
  }

  /** What takes the place of a statement, which may throw. */
  @FunctionalInterface
  private interface Replacement {
    @Nullable String of(String arguments) throws Exception;
  }

  static Site of(String text, Loopback loopback, Path program) throws Exception {
    String replaced = new NginxSite(loopback, text).replaced();
    Path file = loopback.file("nginx.conf");
    Files.writeString(file, replaced);
    List<String> command =
        List.of(
            program.toString(),
            "-e",
            loopback.file("error.log").toString(),
            "-p",
            loopback.home() + "/",
            "-c",
            file.toString());
    List<String> check = new java.util.ArrayList<>(command);
    check.add("-t");
    return new Site(file, loopback.home(), check, command);
  }

  private String replaced() throws Exception {
    text = withoutComments(text);
    each(OUT, arguments -> "");
    each("include", this::include);
    Set<String> upstreams = new TreeSet<>();
    Matcher named = Pattern.compile("\\bupstream\\s+([^\\s{]+)\\s*\\{([^}]*)\\}").matcher(text);
    StringBuilder withOrigins = new StringBuilder();
    while (named.find()) {
      upstreams.add(named.group(1));
      loopback.firstOrigin();
      String block = named.group(2);
      boolean isHttp =
          !Pattern.compile(
                  "\\b(fastcgi|uwsgi|scgi|memcached|grpc)_pass\\s+" + named.group(1) + "\\s*;")
              .matcher(text)
              .find();
      Matcher server = Pattern.compile("\\bserver\\s+([^\\s;]+)([^;]*);").matcher(block);
      StringBuilder servers = new StringBuilder();
      while (server.find()) {
        server.appendReplacement(
            servers,
            Matcher.quoteReplacement(
                "server "
                    + (isHttp ? loopback.origin() : Loopback.NOBODY)
                    + server.group(2)
                    + ";"));
      }
      server.appendTail(servers);
      named.appendReplacement(
          withOrigins,
          Matcher.quoteReplacement("upstream " + named.group(1) + " {" + servers + "}"));
    }
    named.appendTail(withOrigins);
    text = withOrigins.toString();
    each("proxy_pass", arguments -> "proxy_pass " + target(arguments, upstreams) + ";");
    each(
        "fastcgi_pass|uwsgi_pass|scgi_pass|memcached_pass|grpc_pass",
        arguments -> upstreams.contains(arguments) ? null : "NAME " + Loopback.NOBODY + ";");
    each("ssl_certificate", arguments -> "ssl_certificate " + loopback.certificate(false) + ";");
    each(
        "ssl_certificate_key",
        arguments -> "ssl_certificate_key " + loopback.certificate(true) + ";");
    each(
        "ssl_client_certificate|ssl_trusted_certificate|proxy_ssl_trusted_certificate",
        arguments -> "NAME " + loopback.authority() + ";");
    each("auth_basic_user_file", arguments -> "auth_basic_user_file " + loopback.users() + ";");
    each("root|alias", this::directory);
    each(
        "proxy_cache_path|fastcgi_cache_path",
        arguments ->
            "NAME "
                + Files.createDirectories(loopback.file("cache"))
                + "/"
                + arguments.replaceFirst("^\\S*/", ""));
    each("listen", this::listen);
    wrap();
    return text;
  }

  /** Calls the replacement with the arguments of each statement; null leaves it as it is. */
  private void each(String names, Replacement replacement) throws Exception {
    Matcher matcher =
        Pattern.compile(
                "(?<![\\w$./-])("
                    + names
                    + ")\\s+((?:[^;\"'{}]|\\$\\{\\w+\\}|\"[^\"]*\"|'[^']*')*);")
            .matcher(text);
    StringBuilder all = new StringBuilder();
    while (matcher.find()) {
      String made = replacement.of(matcher.group(2).strip());
      if (made == null) {
        made = matcher.group();
      } else {
        made = made.replace("NAME", matcher.group(1));
        made = made.isEmpty() || made.endsWith(";") ? made : made + ";";
        // Lines keep their numbers.
        made += "\n".repeat((int) matcher.group().chars().filter(one -> one == '\n').count());
      }
      matcher.appendReplacement(all, Matcher.quoteReplacement(made));
    }
    matcher.appendTail(all);
    text = all.toString();
  }

  private static String withoutComments(String text) {
    StringBuilder all = new StringBuilder();
    for (String line : text.split("\n", -1)) {
      Matcher comment =
          Pattern.compile(
                  "^((?:[^\"'#]|\"[^\"]*\"|'[^']*'|(?<=\\S)#)*?)(?:(?<=^|\\s|;|\\{|\\})#.*)$")
              .matcher(line);
      all.append(comment.matches() ? comment.group(1) : line).append('\n');
    }
    return all.toString();
  }

  private String include(String named) {
    String name = named.replaceAll("[\"']", "");
    if (name.matches("(/etc/nginx/)?(modules-enabled|sites-enabled|conf\\.d)/.*")) {
      return "";
    }
    Path own = Path.of("/etc/nginx").resolve(name);
    return Files.exists(own) ? "include " + own + ";" : "include " + name + ";";
  }

  private String target(String arguments, Set<String> upstreams) {
    Matcher url = Pattern.compile("(https?)://(unix:[^:]+:?|[^/\\s]+)(.*)").matcher(arguments);
    if (!url.matches() || url.group(2).contains("$")) {
      return arguments;
    }
    loopback.firstOrigin();
    String host = upstreams.contains(url.group(2)) ? url.group(2) : loopback.origin();
    return "http://" + host + url.group(3);
  }

  private String directory(String arguments) throws IOException {
    String named = arguments.replaceAll("[\"']", "");
    if (named.indexOf('$') >= 0) {
      return "NAME " + arguments;
    }
    String slash = named.endsWith("/") ? "/" : "";
    return "NAME " + loopback.directory(named) + slash;
  }

  private String listen(String arguments) throws IOException {
    String[] words = arguments.split("\\s+", -1);
    String address = words[0];
    String number =
        address.startsWith("unix:")
            ? address
            : address.matches("\\d+")
                ? address
                : address.matches(".*:\\d+") ? address.replaceFirst(".*:", "") : "80";
    boolean isTwin =
        address.startsWith("[")
            && Pattern.compile("listen\\s+(?:[^\\s\\[]*:)?" + number + "[\\s;]")
                .matcher(text)
                .find();
    if (isTwin) {
      return "";
    }
    StringBuilder flags = new StringBuilder();
    boolean isTls = text.matches("(?s).*\\bssl\\s+on\\s*;.*") && number.equals("443");
    for (int i = 1; i < words.length; i++) {
      isTls |= words[i].equals("ssl");
      if (words[i].matches("ssl|default_server|default|http2")) {
        flags.append(' ').append(words[i]);
      }
    }
    return "listen 127.0.0.1:" + loopback.port(number, isTls) + flags;
  }

  private void wrap() throws IOException {
    if (!Pattern.compile("\\bserver\\s*\\{").matcher(text).find()
        && Pattern.compile("\\blocation\\s").matcher(text).find()) {
      text = "server {" + text + "}\n";
    }
    // What listens on nginx's default port.
    Matcher server = Pattern.compile("\\bserver\\s*\\{").matcher(text);
    StringBuilder all = new StringBuilder();
    while (server.find()) {
      boolean isSilent = !block(server.end()).matches("(?s).*\\blisten\\s.*");
      String added = isSilent ? " listen 127.0.0.1:" + loopback.port("80", false) + ";" : "";
      server.appendReplacement(all, Matcher.quoteReplacement(server.group() + added));
    }
    server.appendTail(all);
    text = all.toString();
    boolean isWhole = Pattern.compile("\\bhttp\\s*\\{").matcher(text).find();
    String own =
        (" client_body_temp_path %1$s/tmp-body; proxy_temp_path %1$s/tmp-proxy;"
                + " fastcgi_temp_path %1$s/tmp-fastcgi; uwsgi_temp_path %1$s/tmp-uwsgi;"
                + " scgi_temp_path %1$s/tmp-scgi; access_log off;")
            .formatted(loopback.home());
    if (isWhole) {
      text = text.replaceFirst("\\bhttp\\s*\\{", Matcher.quoteReplacement("http {" + own));
    } else {
      text = "http {" + own + " include /etc/nginx/mime.types;\n" + text + "}\n";
    }
    String first = "daemon off; master_process off; pid " + loopback.home() + "/nginx.pid; ";
    boolean hasEvents = Pattern.compile("\\bevents\\s*\\{").matcher(text).find();
    text = first + (hasEvents ? "" : "events {} ") + text;
  }

  /** The text of a block from its brace to the one that ends it. */
  private String block(int begin) {
    int depth = 1;
    int at = begin;
    while (at < text.length() && depth > 0) {
      char one = text.charAt(at++);
      depth += one == '{' ? 1 : one == '}' ? -1 : 0;
    }
    return text.substring(begin, at);
  }
}
