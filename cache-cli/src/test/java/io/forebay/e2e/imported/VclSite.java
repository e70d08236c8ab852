package io.forebay.e2e.imported;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A program in VCL: the backends get the addresses of origins of the test, and where Varnish
 * listens is no matter of the program.
 */
final class VclSite {
  private VclSite() {}

  static Site of(String text, Loopback loopback, Path program) throws Exception {
    Matcher backend =
        Pattern.compile("\\bbackend\\s+(\\w+)\\s*\\{((?:[^{}]|\\{[^{}]*\\})*)\\}").matcher(text);
    StringBuilder all = new StringBuilder();
    while (backend.find()) {
      String[] address = loopback.origin().split(":", -1);
      String block =
          backend
              .group(2)
              .replaceAll("\\.(host|port)\\s*=\\s*\"[^\"]*\"\\s*;", "")
              .replaceAll("\\.(host|port)\\s*=\\s*\\d+\\s*;", "");
      String put =
          "backend %s { .host = \"%s\"; .port = \"%s\";%s}"
              .formatted(backend.group(1), address[0], address[1], block);
      backend.appendReplacement(all, Matcher.quoteReplacement(put));
    }
    backend.appendTail(all);
    Path file = loopback.file("default.vcl");
    Files.writeString(file, all.toString());
    int port = loopback.port("80", false);
    String work = loopback.file("check").toString();
    return new Site(
        file,
        loopback.home(),
        List.of(program.toString(), "-C", "-j", "none", "-n", work, "-f", file.toString()),
        command(program, loopback.home(), file, port));
  }

  /**
   * Varnish in the foreground, on loopback, with 16 MiB.
   *
   * @param home for its files, which it locks in memory while it runs
   */
  static List<String> command(Path varnishd, Path home, Path file, int port) {
    return List.of(
        varnishd.toString(),
        "-F",
        "-j",
        "none",
        "-n",
        home.resolve("work").toString(),
        "-a",
        "127.0.0.1:" + port,
        "-f",
        file.toAbsolutePath().toString(),
        "-s",
        "malloc,16m",
        "-p",
        "thread_pool_min=5",
        "-p",
        "vsl_space=1m");
  }
}
