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

/** A site of nginx and what an import makes of it, side by side before the same origin. */
@Tag("full")
final class ImportIT {
  private static final String CONFIGURATION =
      """
      daemon off;
      master_process off;
      pid HOME/nginx.pid;
      events { worker_connections 1024; }
      http {
        access_log HOME/access.log;
        client_body_temp_path HOME/tmp-body;
        proxy_temp_path HOME/tmp-proxy;
        fastcgi_temp_path HOME/tmp-fastcgi;
        uwsgi_temp_path HOME/tmp-uwsgi;
        scgi_temp_path HOME/tmp-scgi;
        default_type application/octet-stream;
        server {
          listen 127.0.0.1:PORT;
          root HOME/www;
          SITE
        }
      }
      """;

  private static final String SITE =
      """
      server_name www.example.com;
      if ($http_user_agent ~* "badbot|spider") { return 403; }
      rewrite ^/blog/([0-9]+)$ /article?id=$1 permanent;
      proxy_set_header Host $host;
      location / { proxy_pass ORIGIN; }
      location = /health { return 200 fine; }
      location ~ \\.php$ { return 404; }
      location /old/ { return 301 /new$request_uri; }
      location /api/ {
        proxy_pass ORIGIN/v1/;
        proxy_set_header Host $host;
        proxy_set_header X-Api yes;
      }
      location /admin/ { deny all; proxy_pass ORIGIN; }
      location ^~ /static/ {
        proxy_pass ORIGIN;
        add_header X-Static yes always;
        proxy_hide_header X-Secret;
      }
      location /files/ { try_files $uri $uri/ =404; }
      location /data/ { alias DIRECTORY/files/; }
      location ~* \\.(png|css)$ {
        proxy_pass ORIGIN;
        proxy_set_header Host images.example.com;
        expires 1h;
      }
      """;

  private static final List<List<String>> REQUESTS =
      List.of(
          List.of("GET www.example.com /"),
          List.of("GET www.example.com /page?a=b"),
          List.of("GET www.example.com /health"),
          List.of("GET www.example.com /index.php"),
          List.of("GET www.example.com /static/index.php"),
          List.of("GET www.example.com /static/a.css"),
          List.of("GET www.example.com /a.css"),
          List.of("GET www.example.com /deep/B.PNG?v=1"),
          List.of("GET www.example.com /old/page?a=b"),
          List.of("GET www.example.com /old/x.php"),
          List.of("GET www.example.com /api/users?id=7"),
          List.of("GET www.example.com /api/x.php"),
          List.of("GET www.example.com /admin/"),
          List.of("GET www.example.com /blog/42"),
          List.of("GET www.example.com /blog/42?a=b"),
          List.of("GET www.example.com /blog/x"),
          List.of("GET www.example.com /missing"),
          List.of("GET www.example.com /files/a.txt"),
          List.of("GET www.example.com /files/missing"),
          List.of("GET www.example.com /files/"),
          List.of("GET www.example.com /files/sub"),
          List.of("GET www.example.com /data/a.txt"),
          List.of("GET www.example.com /data/sub/b.txt"),
          List.of("GET www.example.com /", "User-Agent: a BadBot/1.0"),
          List.of("GET www.example.com /health", "User-Agent: spider"));

  @TempDir private Path directory;

  @Test
  void anImportedSiteAnswersAsItDid() throws Exception {
    Path program = Tools.require("nginx");
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
        exchange.respond(status, "X-Secret: 7\r\nCache-Control: no-store\r\n", seen);
      });
      Path files = directory.resolve("nginx/www/files");
      Files.createDirectories(files.resolve("sub"));
      Files.writeString(files.resolve("a.txt"), "file a");
      Files.writeString(files.resolve("index.html"), "index");
      Files.writeString(files.resolve("sub/b.txt"), "file b");
      int port = Ports.free();
      Path nginx = directory.resolve("nginx");
      Path file = nginx.resolve("nginx.conf");
      Files.writeString(
          file,
          CONFIGURATION
              .replace("HOME", nginx.toString())
              .replace("PORT", String.valueOf(port))
              .replace(
                  "SITE",
                  SITE.replace("ORIGIN", origin.url()).replace("DIRECTORY", nginx + "/www")));
      try (ServerUnderImport server =
          ServerUnderImport.start(
              "nginx",
              port,
              nginx,
              List.of(program.toString(), "-e", nginx + "/error.log", "-c", file.toString()))) {
        Commands.Finished imported = Jar.quick().run("import", file.toString());
        assertEquals(0, imported.exit(), imported::err);
        EdgeProcess.Settings settings =
            EdgeProcess.in(directory.resolve("edge")).memory("64MiB").listeningByFile();
        settings.config(
            imported.out().replace(":" + port + "\"", "127.0.0.1:" + settings.port() + "\""));
        try (EdgeProcess edge = settings.start()) {
          List<String> differences =
              server.differences(
                  edge.port(), REQUESTS, List.of("x-static", "x-secret", "cache-control"), false);
          assertTrue(
              differences.isEmpty(),
              () -> String.join("\n", differences) + "\n" + imported.out() + imported.err());
        }
      }
    }
  }
}
