package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * A real nginx as origin: one process, one configuration, one port. Its access log is the count of
 * origin requests.
 */
final class NginxOrigin implements RestartableServer {
  private final Path directory;
  private final int port;
  private @Nullable Process process;
  private int barriers;

  private NginxOrigin(Path directory, int port) {
    this.directory = directory;
    this.port = port;
  }

  /**
   * One line of the access log.
   *
   * @param range the Range field it came with, or a dash
   * @param condition the If-None-Match field it came with, or a dash
   */
  record Logged(String method, String uri, int status, String range, String condition) {}

  /** Starts one that lets every file be cached for an hour. */
  static NginxOrigin start(Path directory) throws Exception {
    return start(directory, "add_header Cache-Control 'public, max-age=3600';");
  }

  /** Starts one with what is given in its server block. */
  static NginxOrigin start(Path directory, String server) throws Exception {
    Path nginx = Tools.require("nginx");
    int port = Ports.free();
    Files.createDirectories(directory.resolve("www"));
    Files.writeString(
        directory.resolve("nginx.conf"),
        """
        daemon off;
        master_process off;
        pid %1$s/nginx.pid;
        events { worker_connections 1024; }
        http {
          log_format lines '$request_method $uri $status "$http_range" "$http_if_none_match"';
          access_log %1$s/access.log lines;
          client_body_temp_path %1$s/tmp-body;
          proxy_temp_path %1$s/tmp-proxy;
          fastcgi_temp_path %1$s/tmp-fastcgi;
          uwsgi_temp_path %1$s/tmp-uwsgi;
          scgi_temp_path %1$s/tmp-scgi;
          default_type application/octet-stream;
          sendfile on;
          server {
            listen 127.0.0.1:%2$d;
            root %1$s/www;
            %3$s
          }
        }
        """
            .formatted(directory, port, server));
    NginxOrigin origin = new NginxOrigin(directory, port);
    origin.restart(nginx);
    return origin;
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  int port() {
    return port;
  }

  Tree tree(long seed) {
    return new Tree(directory.resolve("www"), seed);
  }

  @Override
  public void kill() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
      Assertions.assertTrue(running.waitFor(10, TimeUnit.SECONDS), "nginx did not die");
      process = null;
    }
  }

  @Override
  public void restart() throws Exception {
    restart(Tools.require("nginx"));
  }

  @Override
  public void signal(String name) throws Exception {
    Process running = process;
    Assertions.assertNotNull(running);
    Commands.run("kill", "-" + name, Long.toString(running.pid())).orFail();
  }

  private void restart(Path nginx) throws Exception {
    kill();
    Process started =
        new ProcessBuilder(
                nginx.toString(),
                "-e",
                directory + "/error.log",
                "-p",
                directory.toString(),
                "-c",
                directory + "/nginx.conf")
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("nginx.out").toFile())
            .start();
    process = started;
    Await.until(
        "nginx listens",
        () -> {
          if (!started.isAlive()) {
            Assertions.fail("nginx ended: " + Files.readString(directory.resolve("nginx.out")));
          }
          return Ports.isListening(port);
        });
  }

  /**
   * All that was asked of it. A request stands in the log once it is answered; one more of our own
   * goes ahead, so that what was answered before stands there too.
   */
  List<Logged> requests() throws Exception {
    String barrier = "/.barrier-" + ++barriers;
    try (RawClient client = new RawClient(port)) {
      client.send("GET " + barrier + " HTTP/1.1\r\nHost: o\r\nConnection: close\r\n\r\n");
      client.readToEnd();
    }
    List<Logged> requests = new ArrayList<>();
    Await.until(
        "the barrier in nginx's log",
        () -> {
          requests.clear();
          boolean isThere = false;
          for (String line : lines()) {
            Logged logged = parse(line);
            if (logged.uri().equals(barrier)) {
              isThere = true;
            } else if (!logged.uri().startsWith("/.barrier-")) {
              requests.add(logged);
            }
          }
          return isThere;
        });
    return requests;
  }

  List<Logged> requests(String uri) throws Exception {
    return requests().stream().filter(logged -> logged.uri().equals(uri)).toList();
  }

  void assertRequests(int expected, String uri) throws Exception {
    List<Logged> requests = requests(uri);
    Assertions.assertEquals(
        expected, requests.size(), () -> "origin requests for " + uri + ": " + requests);
  }

  private List<String> lines() throws IOException {
    Path log = directory.resolve("access.log");
    if (!Files.exists(log)) {
      return List.of();
    }
    String text = Files.readString(log, StandardCharsets.ISO_8859_1);
    // The last line may be half written.
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
  }

  private static Logged parse(String line) {
    String[] words = line.split(" ", 4);
    String[] quoted = words[3].split("\"", -1);
    return new Logged(words[0], words[1], Integer.parseInt(words[2]), quoted[1], quoted[3]);
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
