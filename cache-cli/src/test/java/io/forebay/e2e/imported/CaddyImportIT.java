package io.forebay.e2e.imported;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.e2e.Tools;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sites of Caddy and what an import makes of them, side by side before the same origin. */
@Tag("full")
final class CaddyImportIT {
  private static final String CADDYFILE =
      """
      {
      \tadmin off
      \tauto_https off
      \tdefault_bind 127.0.0.1
      }
      (fields) {
      \theader {
      \t\tX-Site {args.0}
      \t\t-X-Secret
      \t}
      }
      http://www.example.com:PORT {
      \timport fields www
      \t@bots header User-Agent *bot*
      \trespond @bots 403
      \t@blog path_regexp blog ^/blog/([0-9]+)$
      \tredir @blog /article?id={re.blog.1} permanent
      \tredir /old/* https://new.example.com{uri}
      \tredir /old/special /first 307
      \t@secret path /secret/* *.bak
      \trespond @secret 403
      \trespond /health "fine"
      \trespond /empty 204
      \terror /forbidden 403
      \trewrite /home /index
      \t@write method PUT DELETE
      \trespond @write "no" 405
      \theader /static/* X-Static yes
      \theader ?X-Default given
      \thandle_path /api/* {
      \t\trequest_header X-Api stripped
      \t\treverse_proxy ORIGIN
      \t}
      \thandle_path /v2/* {
      \t\trewrite * /version2{uri}
      \t\treverse_proxy ORIGIN
      \t}
      \thandle /files/* {
      \t\troot * DIRECTORY
      \t\tfile_server
      \t}
      \thandle /admin/* {
      \t\t@local remote_ip 10.0.0.0/8
      \t\treverse_proxy @local ORIGIN
      \t\trespond "go away" 401
      \t}
      \thandle @app {
      \t\treverse_proxy ORIGIN {
      \t\t\theader_up Host app.example.com
      \t\t\theader_up X-Api {path}
      \t\t\theader_down X-Down yes
      \t\t\theader_down -X-Other
      \t\t}
      \t}
      \t@app {
      \t\tpath /app/* /apps
      \t\tnot header X-Skip *
      \t}
      \treverse_proxy ORIGIN
      }
      http://part.example.com:PORT {
      \treverse_proxy /only/* ORIGIN
      }
      http://*.wild.example.com:PORT {
      \troute {
      \t\trespond /a first
      \t\trespond /a second
      \t\turi strip_prefix /cut
      \t\treverse_proxy ORIGIN
      \t}
      }
      http://moved.example.com:PORT {
      \tredir https://www.example.com{uri} 308
      }
      """;

  private static final List<List<String>> REQUESTS =
      List.of(
          List.of("GET www.example.com /"),
          List.of("GET www.example.com /page?a=b&c=d"),
          List.of("GET www.example.com /page", "User-Agent: somebot/1.0"),
          List.of("GET www.example.com /blog/42"),
          List.of("GET www.example.com /blog/x"),
          List.of("GET www.example.com /old/page?a=b"),
          List.of("GET www.example.com /old/special"),
          List.of("GET www.example.com /old"),
          List.of("GET www.example.com /health"),
          List.of("GET www.example.com /empty"),
          List.of("GET www.example.com /secret/x"),
          List.of("GET www.example.com /Secret/x"),
          List.of("GET www.example.com /a.BAK"),
          List.of("GET www.example.com /forbidden"),
          List.of("GET www.example.com /home?a=b"),
          List.of("PUT www.example.com /x", "Content-Length: 0"),
          List.of("POST www.example.com /x", "Content-Length: 0"),
          List.of("HEAD www.example.com /x"),
          List.of("GET www.example.com /static/a.css"),
          List.of("GET www.example.com /api/users?id=7"),
          List.of("GET www.example.com /api/"),
          List.of("GET www.example.com /api"),
          List.of("GET www.example.com /v2/users?id=7"),
          List.of("GET www.example.com /v2/"),
          List.of("GET www.example.com /files/a.txt"),
          List.of("GET www.example.com /files/missing"),
          List.of("GET www.example.com /files/"),
          List.of("GET www.example.com /admin/x"),
          List.of("GET www.example.com /app/x"),
          List.of("GET www.example.com /apps"),
          List.of("GET www.example.com /app/x", "X-Skip: 1"),
          List.of("GET www.example.com /missing"),
          List.of("GET part.example.com /only/x"),
          List.of("GET part.example.com /other"),
          List.of("GET a.wild.example.com /a"),
          List.of("GET a.wild.example.com /cut/b?c"),
          List.of("GET a.wild.example.com /b"),
          List.of("GET moved.example.com /x?y"));

  @TempDir private Path directory;

  @Test
  void importedSitesAnswerAsTheyDid() throws Exception {
    Path program = Tools.require("caddy");
    try (PathOrigin origin = PathOrigin.start()) {
      origin.otherwise(exchange -> {
        PathOrigin.Request request = exchange.request();
        String seen =
            "%s %s host=%s api=%s"
                .formatted(
                    request.method(),
                    request.target(),
                    request.field("host"),
                    request.field("x-api"));
        int status = request.path().equals("/missing") ? 404 : 200;
        exchange.respond(status, "X-Secret: 7\r\nX-Other: 8\r\nCache-Control: no-store\r\n", seen);
      });
      Path files = directory.resolve("caddy/www/files");
      Files.createDirectories(files.resolve("sub"));
      Files.writeString(files.resolve("a.txt"), "file a");
      Files.writeString(files.resolve("index.html"), "index");
      int port = Ports.free();
      Path caddyfile = directory.resolve("caddy/Caddyfile");
      Files.writeString(
          caddyfile,
          CADDYFILE
              .replace("PORT", String.valueOf(port))
              .replace("ORIGIN", "127.0.0.1:" + origin.port())
              .replace("DIRECTORY", directory.resolve("caddy/www").toString()));
      Commands.Finished imported = Jar.quick().run("import", caddyfile.toString());
      assertEquals(0, imported.exit(), imported::err);
      try (ServerUnderImport caddy =
          ServerUnderImport.start(
              "caddy",
              port,
              directory.resolve("caddy"),
              List.of(program.toString(), "run", "--config", caddyfile.toString()))) {
        EdgeProcess.Settings settings =
            EdgeProcess.in(directory.resolve("edge")).memory("64MiB").listeningByFile();
        settings.config(
            imported.out().replace("127.0.0.1:" + port, "127.0.0.1:" + settings.port()));
        try (EdgeProcess edge = settings.start()) {
          List<String> differences =
              caddy.differences(
                  edge.port(),
                  REQUESTS,
                  List.of("x-site", "x-secret", "x-static", "x-default", "x-down", "x-other"),
                  false);
          assertTrue(
              differences.isEmpty(),
              () -> String.join("\n", differences) + "\n" + imported.out() + imported.err());
        }
      }
    }
  }
}
