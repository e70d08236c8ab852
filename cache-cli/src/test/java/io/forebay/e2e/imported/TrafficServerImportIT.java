package io.forebay.e2e.imported;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.e2e.Tools;
import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules of Traffic Server and what an import makes of them, side by side before one origin. */
@Tag("full")
final class TrafficServerImportIT {
  private static final String REMAP =
      """
      .definefilter read_only @action=allow @method=GET @method=HEAD
      map http://www.example.com/api/ ORIGIN/v1/
      map http://www.example.com/strip/ ORIGIN/
      map http://www.example.com/old ORIGIN/new/
      map http://www.example.com/bare/ ORIGIN/x
      map http://www.example.com/private/ ORIGIN/private/ @action=allow @src_ip=10.0.0.0-10.0.0.255
      map http://www.example.com/guarded ORIGIN/guarded @action=allow @src_ip=10.0.0.1
      map http://www.example.com/local/ ORIGIN/local/ @action=allow @src_ip=127.0.0.1
      map http://www.example.com/kept/ ORIGIN/kept/ @action=deny @method=DELETE @method=put
      .activatefilter read_only
      map http://www.example.com/read/ ORIGIN/read/
      .deactivatefilter read_only
      map http://www.example.com/ ORIGIN/
      map http://www.example.com/never/ ORIGIN/reached/
      redirect http://www.example.com/gone/ http://elsewhere.example/
      redirect http://old.example.com/ http://www.example.com/
      redirect http://moved.example.com/a/ https://www.example.com/b/
      redirect_temporary http://old.example.com/now/ http://www.example.com/then/
      regex_map http://(img|css)\\.example\\.com/ ORIGIN/$1/
      regex_map http://[a-z]+\\.wild\\.example\\.com/ ORIGIN/wild/
      regex_redirect http://(a|b)\\.short\\.example\\.com/ http://$1.long.example.com/
      map http://plugin.example.com/ ORIGIN/ \\
        @plugin=conf_remap.so @pparam=proxy.config.url_remap.pristine_host_hdr=1 \\
        @plugin=header_rewrite.so @pparam=headers.config
      .include more.config
      """;

  private static final String HEADERS =
      """
      cond %{SEND_RESPONSE_HDR_HOOK}
      set-header X-Set "yes it is"
      rm-header X-Secret
      cond %{SEND_RESPONSE_HDR_HOOK}
      cond %{STATUS} =404
      set-header X-Missing yes
      cond %{SEND_REQUEST_HDR_HOOK}
      set-header X-Api edge
      cond %{REMAP_PSEUDO_HOOK}
      cond %{CLIENT-HEADER:User-Agent} /badbot/
      set-status 403
      """;

  private static final List<List<String>> REQUESTS =
      List.of(
          List.of("GET www.example.com /"),
          List.of("GET www.example.com /page?a=b&c=d"),
          List.of("GET www.example.com /api/users?id=7"),
          List.of("GET www.example.com /api"),
          List.of("GET www.example.com /strip/a/b"),
          List.of("GET www.example.com /strip/"),
          List.of("GET www.example.com /old/page"),
          List.of("GET www.example.com /old"),
          List.of("GET www.example.com /bare/page"),
          List.of("GET www.example.com /private/x"),
          List.of("GET www.example.com /guarded"),
          List.of("GET www.example.com /guardedx"),
          List.of("GET www.example.com /local/x"),
          List.of("GET www.example.com /kept/x"),
          List.of("DELETE www.example.com /kept/x"),
          List.of("PUT www.example.com /kept/x", "Content-Length: 0"),
          List.of("GET www.example.com /read/x"),
          List.of("HEAD www.example.com /read/x"),
          List.of("POST www.example.com /read/x", "Content-Length: 0"),
          List.of("DELETE www.example.com /other", "Content-Length: 0"),
          List.of("GET www.example.com /never/x"),
          List.of("GET www.example.com /gone/x"),
          List.of("GET www.example.com /missing"),
          List.of("GET WWW.EXAMPLE.COM /page"),
          List.of("GET old.example.com /"),
          List.of("GET old.example.com /page?a=b"),
          List.of("GET old.example.com /now/page?a=b"),
          List.of("GET moved.example.com /a/page?a=b"),
          List.of("GET moved.example.com /c"),
          List.of("GET img.example.com /a.png"),
          List.of("GET css.example.com /a.css"),
          List.of("GET js.example.com /a.js"),
          List.of("GET any.wild.example.com /x"),
          List.of("GET 123.wild.example.com /x"),
          List.of("GET a.short.example.com /x?y"),
          List.of("GET more.example.com /x"),
          List.of("GET unknown.example.com /x"),
          List.of("GET plugin.example.com /page"),
          List.of("GET plugin.example.com /missing"),
          List.of("GET plugin.example.com /page", "User-Agent: a badbot/1.0"));

  @TempDir private Path directory;

  @Test
  void importedRulesAnswerAsTheyDid() throws Exception {
    Path program = Tools.require("traffic_server");
    try (PathOrigin origin = PathOrigin.start()) {
      origin.otherwise(TrafficServerImportIT::serve);
      int port = Ports.free();
      Path home = prepared(origin.url(), port);
      Path etc = home.resolve("etc/trafficserver");
      Commands.Finished imported =
          Jar.quick().run("import", etc.resolve("remap.config").toString());
      // Debian's ip_allow.yaml and others are there.
      assertEquals(3, imported.exit(), imported::err);
      List<String> left = imported.err().lines().filter(line -> line.startsWith("left")).toList();
      assertTrue(
          left.stream().allMatch(line -> line.matches(".*/ip_allow\\.yaml:.*")), left::toString);
      try (ServerUnderImport server =
          ServerUnderImport.start(
              "traffic_server",
              port,
              home,
              List.of(program.toString(), "--run-root=" + home.resolve("runroot.yaml")))) {
        Await.until(
            "traffic_server caches",
            () -> {
              RawClient.get(port, "/cached/warm", "Host: www.example.com");
              int before = origin.count("/cached/warm");
              RawClient.get(port, "/cached/warm", "Host: www.example.com");
              return origin.count("/cached/warm") == before;
            });
        EdgeProcess.Settings settings =
            EdgeProcess.in(directory.resolve("edge")).memory("64MiB").listeningByFile();
        settings.config(
            imported
                .out()
                .replace("127.0.0.1:" + port + "}", "127.0.0.1:" + settings.port() + "}")
                .replace("/var/cache/forebay/", directory + "/"));
        try (EdgeProcess edge = settings.start()) {
          List<String> differences =
              server.differences(
                  edge.port(), REQUESTS, List.of("x-set", "x-secret", "x-missing"), true);
          assertTrue(
              differences.isEmpty(),
              () -> String.join("\n", differences) + "\n" + imported.out() + imported.err());
          for (String path : List.of("/cached/x", "/short/x", "/cached/x.nocache")) {
            int asked = asked(origin, port, path);
            assertEquals(asked, asked(origin, edge.port(), path), path + "\n" + imported.out());
          }
        }
      }
    }
  }

  /** How many of two requests reach the origin. */
  private static int asked(PathOrigin origin, int port, String path) throws Exception {
    int before = origin.count(path);
    RawClient.get(port, path, "Host: www.example.com");
    RawClient.get(port, path, "Host: www.example.com");
    return origin.count(path) - before;
  }

  private static void serve(PathOrigin.Exchange exchange) throws Exception {
    PathOrigin.Request request = exchange.request();
    String seen =
        "%s %s host=%s api=%s"
            .formatted(
                request.method(), request.target(), request.field("host"), request.field("x-api"));
    String control =
        request.path().startsWith("/cached/")
            ? "max-age=3600"
            : request.path().startsWith("/short/") ? "max-age=0" : "no-store";
    exchange.respond(
        request.path().equals("/missing") ? 404 : 200,
        "X-Secret: 7\r\nCache-Control: " + control + "\r\n",
        seen);
  }

  /** The files of a Traffic Server that runs in a directory. */
  private Path prepared(String origin, int port) throws Exception {
    Path home = directory.resolve("ats");
    Path etc = home.resolve("etc/trafficserver");
    RemapSite.prepare(home, port);
    Files.writeString(etc.resolve("remap.config"), REMAP.replace("ORIGIN", origin));
    Files.writeString(etc.resolve("headers.config"), HEADERS);
    Files.writeString(
        etc.resolve("more.config"), "map http://more.example.com/ " + origin + "/more/\n");
    Files.writeString(
        etc.resolve("cache.config"),
        """
        dest_host=127.0.0.1 suffix=nocache action=never-cache
        dest_domain=127.0.0.1 prefix=short/ ttl-in-cache=1h
        """);
    return home;
  }
}
