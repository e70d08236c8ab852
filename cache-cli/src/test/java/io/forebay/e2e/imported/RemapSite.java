package io.forebay.e2e.imported;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A remap.config of Traffic Server beside the files of Debian's package: the targets of {@code map}
 * get the address of an origin, {@code https} becomes {@code http}, and the server listens on a
 * free port.
 */
final class RemapSite {
  private static final Path DEBIAN = Path.of("/etc/trafficserver");
  private static final Pattern MAP =
      Pattern.compile(
          "(?m)^(\\s*(?:regex_)?map(?:_with_\\w+)?\\s+)(\\S+)(\\s+)(\\w+)://([^/\\s]+)(\\S*)");

  private RemapSite() {}

  static Site of(String text, Loopback loopback, Path program) throws Exception {
    Path home = loopback.home();
    Path etc = home.resolve("etc/trafficserver");
    prepare(home, loopback.port("80", false));
    Matcher map = MAP.matcher(text);
    StringBuilder all = new StringBuilder();
    while (map.find()) {
      loopback.firstOrigin();
      String from = map.group(2).replaceFirst("^https:", "http:");
      map.appendReplacement(
          all,
          Matcher.quoteReplacement(
              map.group(1) + from + map.group(3) + "http://" + loopback.origin() + map.group(6)));
    }
    map.appendTail(all);
    Path file = etc.resolve("remap.config");
    Files.writeString(file, all.toString());
    String root = "--run-root=" + home.resolve("runroot.yaml");
    return new Site(file, etc, List.of(), List.of(program.toString(), root));
  }

  /** The files of a Traffic Server that runs in a directory. */
  static void prepare(Path home, int port) throws Exception {
    Path etc = home.resolve("etc/trafficserver");
    copy(DEBIAN, etc);
    for (String name : List.of("var/log", "run", "cache")) {
      Files.createDirectories(home.resolve(name));
    }
    Files.writeString(etc.resolve("storage.config"), home.resolve("cache") + " 64M\n");
    Files.writeString(
        etc.resolve("records.config"),
        """
        CONFIG proxy.config.http.server_ports STRING %d:ip-in=127.0.0.1
        CONFIG proxy.config.exec_thread.autoconfig INT 0
        CONFIG proxy.config.exec_thread.limit INT 1
        CONFIG proxy.config.log.logging_enabled INT 0
        CONFIG proxy.config.reverse_proxy.enabled INT 1
        CONFIG proxy.config.url_remap.remap_required INT 1
        CONFIG proxy.config.url_remap.pristine_host_hdr INT 0
        CONFIG proxy.config.admin.user_id STRING #-1
        """
            .formatted(port));
    Files.writeString(
        home.resolve("runroot.yaml"),
        """
        prefix: %1$s
        exec_prefix: /usr
        bindir: /usr/bin
        sbindir: /usr/sbin
        sysconfdir: %1$s/etc/trafficserver
        datadir: %1$s/cache
        includedir: /usr/include
        libdir: /usr/lib
        libexecdir: /usr/lib/trafficserver/modules
        localstatedir: %1$s/var
        runtimedir: %1$s/run
        logdir: %1$s/var/log
        cachedir: %1$s/cache
        """
            .formatted(home));
  }

  private static void copy(Path from, Path to) throws Exception {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        Path target = to.resolve(from.relativize(each).toString());
        if (Files.isDirectory(each)) {
          Files.createDirectories(target);
        } else if (!each.endsWith("ssl_multicert.config")) {
          Files.copy(each, target);
        }
      }
    }
  }
}
