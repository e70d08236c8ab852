package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A site of nginx and what an import makes of it, side by side before the same origin. */
@Tag("full")
final class ImportIT {
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
          List.of("/"),
          List.of("/page?a=b"),
          List.of("/health"),
          List.of("/index.php"),
          List.of("/static/index.php"),
          List.of("/static/a.css"),
          List.of("/a.css"),
          List.of("/deep/B.PNG?v=1"),
          List.of("/old/page?a=b"),
          List.of("/old/x.php"),
          List.of("/api/users?id=7"),
          List.of("/api/x.php"),
          List.of("/admin/"),
          List.of("/blog/42"),
          List.of("/blog/42?a=b"),
          List.of("/blog/x"),
          List.of("/missing"),
          List.of("/files/a.txt"),
          List.of("/files/missing"),
          List.of("/files/"),
          List.of("/files/sub"),
          List.of("/data/a.txt"),
          List.of("/data/sub/b.txt"),
          List.of("/", "User-Agent: a BadBot/1.0"),
          List.of("/health", "User-Agent: spider"));

  @TempDir private Path directory;

  @Test
  void anImportedSiteAnswersAsItDid() throws Exception {
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
      try (NginxOrigin nginx =
          NginxOrigin.start(
              directory.resolve("nginx"),
              SITE.replace("ORIGIN", origin.url())
                  .replace("DIRECTORY", directory.resolve("nginx/www").toString()))) {
        Commands.Finished imported =
            Jar.quick().run("import", directory.resolve("nginx/nginx.conf").toString());
        assertEquals(0, imported.exit(), imported::err);
        EdgeProcess.Settings settings =
            EdgeProcess.in(directory.resolve("edge")).memory("64MiB").listeningByFile();
        settings.config(
            imported
                .out()
                .replace(":" + nginx.port() + "\"", "127.0.0.1:" + settings.port() + "\""));
        try (EdgeProcess edge = settings.start()) {
          List<String> differences = new ArrayList<>();
          for (List<String> request : REQUESTS) {
            Map<String, String> before = answer(nginx.port(), request);
            Map<String, String> after = answer(edge.port(), request);
            if (!before.equals(after)) {
              differences.add(request + "\n  nginx   " + before + "\n  forebay " + after);
            }
          }
          assertTrue(
              differences.isEmpty(),
              () -> String.join("\n", differences) + "\n" + imported.out() + imported.err());
        }
      }
    }
  }

  /** What both have to agree on; pages of errors are each server's own. */
  private static Map<String, String> answer(int port, List<String> request) throws Exception {
    List<String> fields = new ArrayList<>(request.subList(1, request.size()));
    fields.add("Host: www.example.com");
    Response response = RawClient.get(port, request.getFirst(), fields.toArray(String[]::new));
    Map<String, String> answer = new TreeMap<>();
    answer.put("status", String.valueOf(response.status()));
    // Relative to what was asked for, or with the host of both.
    String location = response.field("location");
    URI asked = URI.create("http://www.example.com" + request.getFirst());
    answer.put(
        "location",
        location.isEmpty()
            ? ""
            : asked.resolve(location).toString().replaceAll("^http://www.example.com(:\\d+)?", ""));
    answer.put("x-static", response.field("x-static"));
    answer.put("x-secret", response.field("x-secret"));
    answer.put("cache-control", response.status() == 200 ? response.field("cache-control") : "");
    answer.put("body", response.status() == 200 ? response.text() : "");
    return answer;
  }
}
