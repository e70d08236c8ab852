package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.ComposeFiles.Service;
import io.forebay.e2e.Tools;
import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.Commands.Finished;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The lab of containers as far as it runs without an engine: Debian's docker-compose 1.29 reads all
 * services, and what the services run is started by hand.
 */
@Tag("full")
final class ComposeConfigIT {
  private static final Path DOCKER = ComposeFiles.FOLDER.toAbsolutePath().normalize();
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir Path directory;

  private static Finished compose(String... arguments) throws Exception {
    return composeOf("compose.yaml", arguments);
  }

  private static Finished composeOf(String file, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("env", "-u", "COMPOSE_PROFILES", "-u", "COMPOSE_PROJECT_NAME"));
    command.add(Tools.require("docker-compose").toString());
    command.addAll(List.of("-f", DOCKER.resolve(file).toString()));
    command.addAll(List.of(arguments));
    return Commands.run(LIMIT, command).orFail();
  }

  /** It prints the services of all profiles, each with its profiles. */
  @ParameterizedTest
  @ValueSource(strings = {"compose.yaml", "compose.cluster.yaml"})
  void theOlderComposeReadsEveryService(String file) throws Exception {
    JsonNode read = new YAMLMapper().readTree(composeOf(file, "config").out()).path("services");

    Map<String, Service> services = ComposeFiles.read(file).services();
    assertEquals(services.keySet(), new TreeSet<>(read.propertyNames()));
    services.forEach((name, service) -> {
      TreeSet<String> profiles = new TreeSet<>();
      read.path(name).path("profiles").forEach(profile -> profiles.add(profile.asString()));
      assertEquals(service.profiles(), profiles, name);
      assertEquals(
          ComposeFiles.withDefaults(service.value("image").asString()),
          read.path(name).path("image").asString(),
          name);
      assertEquals(service.list("volumes").size(), read.path(name).path("volumes").size(), name);
      assertTrue(read.path(name).path("read_only").asBoolean(false), name);
    });
  }

  @Test
  void theOverlayIsReadToo() throws Exception {
    String read = compose("-f", DOCKER.resolve("compose.memlock.yaml").toString(), "config").out();

    assertTrue(read.contains("memlock: -1"), read);
  }

  @Test
  void secretsAreMadeOnceAndFitTogether() throws Exception {
    String openssl = Tools.require("openssl").toString();
    String script = DOCKER.resolve("secrets/make.sh").toString();
    Commands.run("sh", script, directory.toString()).orFail();
    Path token = directory.resolve("admin-token");
    byte[] first = Files.readAllBytes(token);
    assertTrue(first.length > 32);
    Commands.run(
            openssl,
            "verify",
            "-CAfile",
            directory.resolve("ca.pem").toString(),
            "-verify_hostname",
            "localhost",
            directory.resolve("certificate.pem").toString())
        .orFail();
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(
          List.of("admin-token", "ca.pem", "certificate.pem", "key.pem"),
          files.map(file -> file.getFileName().toString()).sorted().toList());
    }

    Commands.run("sh", script, directory.toString()).orFail();

    assertArrayEquals(first, Files.readAllBytes(token));
  }

  @Test
  void nodesOfTheClusterHaveCertificatesWithTheirNames() throws Exception {
    String openssl = Tools.require("openssl").toString();
    List<String> nodes =
        ComposeFiles.read("compose.cluster.yaml").service("secrets").list("command");
    List<String> command =
        new ArrayList<>(
            List.of("sh", DOCKER.resolve("secrets/cluster.sh").toString(), directory.toString()));
    command.addAll(nodes);
    Commands.run(LIMIT, command).orFail();
    byte[] first = Files.readAllBytes(directory.resolve("hub.key"));
    for (String node : nodes) {
      String certificate = directory.resolve(node + ".pem").toString();
      for (String purpose : List.of("sslserver", "sslclient")) {
        Commands.run(
                openssl,
                "verify",
                "-purpose",
                purpose,
                "-CAfile",
                directory.resolve("cluster-ca.pem").toString(),
                certificate)
            .orFail();
      }
      String names =
          Commands.run(openssl, "x509", "-in", certificate, "-noout", "-ext", "subjectAltName")
              .orFail()
              .out();
      assertTrue(names.contains("URI:forebay://lab/" + node + "\n"), names);
    }
    assertTrue(Files.size(directory.resolve("admin-token")) > 32);

    Commands.run(LIMIT, command).orFail();

    assertArrayEquals(first, Files.readAllBytes(directory.resolve("hub.key")));
  }

  @Test
  void theOriginHasObjectsOfAllTrees() throws Exception {
    Tools.require("nginx");
    int port = Ports.free();
    for (String name : List.of("start.sh", "nginx.conf")) {
      Files.writeString(
          directory.resolve(name),
          Files.readString(DOCKER.resolve("origin").resolve(name))
              .replace("/tmp", directory.toString())
              .replace("/origin/", directory + "/")
              .replace("listen 9000", "listen 127.0.0.1:" + port)
              .replace("worker_processes 1;", "worker_processes 1;" + user()));
    }
    ProcessBuilder builder =
        new ProcessBuilder("sh", directory.resolve("start.sh").toString())
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(directory.resolve("log").toFile());
    builder.environment().merge("PATH", "/usr/sbin", (path, more) -> path + ":" + more);
    Process nginx = builder.start();
    try {
      Await.until(
          "nginx listens",
          () -> {
            assertTrue(nginx.isAlive(), () -> "ended with " + nginx.exitValue());
            return Ports.isListening(port);
          });
      RawClient.Response segment = RawClient.get(port, "/channel/7/3");
      assertEquals(200, segment.status());
      assertEquals(2 << 20, segment.body().length);
      assertEquals("channel-7 channel all", segment.field("Surrogate-Key"));
      assertEquals(10_240, RawClient.get(port, "/small/19999").body().length);
      assertEquals(102_400, RawClient.get(port, "/page/3999").body().length);
      assertEquals(
          "private, max-age=3600", RawClient.get(port, "/private/0").field("Cache-Control"));
      assertEquals(404, RawClient.get(port, "/small/x").status());
    } finally {
      nginx.destroy();
      nginx.waitFor();
    }
  }

  /** As root, nginx would give up the right to read the directory of the test. */
  private static String user() {
    return "root".equals(System.getProperty("user.name")) ? " user root;" : "";
  }

  /** With addresses that resolve here. */
  private Path peer(String name) throws Exception {
    return Files.writeString(
        directory.resolve(name),
        Files.readString(DOCKER.resolve("peers").resolve(name))
            .replace("MEMORY_MIB", "64")
            .replace("\"origin\"", "\"127.0.0.1\"")
            .replace("origin:9000", "127.0.0.1:9000")
            .replace("/tmp", directory.toString()));
  }

  /** What a container of the profile runs, on loopback and below the directory of the test. */
  @ParameterizedTest
  @CsvSource({"nginx,nginx", "trafficserver,traffic_server", "varnish,varnishd", "haproxy,haproxy"})
  void aPeerCachesWhatTheOriginSends(String name, String program) throws Exception {
    Tools.require(program);
    int port = Ports.free();
    // Apart from what the script writes, as in the container.
    Path peers = Files.createDirectories(directory.resolve("peers"));
    try (PathOrigin origin = PathOrigin.start()) {
      origin.otherwise(
          exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", "a body"));
      for (String file :
          List.of("start.sh", "nginx.conf", "haproxy.cfg", "records.config", "varnish.vcl")) {
        Files.writeString(
            peers.resolve(file),
            Files.readString(DOCKER.resolve("peers").resolve(file))
                .replace("/tmp", directory.toString())
                .replace("/peers/", peers + "/")
                .replace("origin:9000", "127.0.0.1:" + origin.port())
                .replace("\"origin\"", "\"127.0.0.1\"")
                .replace("\"9000\"", "\"" + origin.port() + "\"")
                .replace(
                    "server_ports STRING 8080", "server_ports STRING " + port + ":ip-in=127.0.0.1")
                .replaceAll("(listen |-a :|bind :)8080", "$1@")
                .replace(":@", "@")
                .replace("@", "127.0.0.1:" + port)
                .replace("worker_processes auto;", "worker_processes 1;" + user()));
      }
      ProcessBuilder builder =
          new ProcessBuilder("sh", peers.resolve("start.sh").toString(), name)
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(directory.resolve("log").toFile());
      builder.environment().put("MEMORY_MIB", "64");
      builder.environment().merge("PATH", "/usr/sbin", (path, more) -> path + ":" + more);
      Process peer = builder.start();
      try {
        Await.until(
            name + " listens",
            () -> {
              assertTrue(peer.isAlive(), () -> "ended with " + peer.exitValue());
              return Ports.isListening(port);
            });
        Await.until(name + " answers", () -> RawClient.get(port, "/first").status() == 200);
        for (int i = 0; i < 2; i++) {
          RawClient.Response response = RawClient.get(port, "/second");
          assertEquals("a body", new String(response.body(), StandardCharsets.US_ASCII));
        }
        assertEquals(1, origin.count("/second"));
      } finally {
        List<ProcessHandle> children = peer.descendants().toList();
        peer.destroy();
        peer.waitFor();
        children.forEach(ProcessHandle::destroy);
      }
    }
  }

  @Test
  void peersAcceptTheirConfigurations() throws Exception {
    String nginx = Tools.require("nginx").toString();
    String haproxy = Tools.require("haproxy").toString();
    String varnish = Tools.require("varnishd").toString();

    Commands.run(nginx, "-t", "-e", "stderr", "-c", peer("nginx.conf").toString()).orFail();
    Commands.run(haproxy, "-c", "-f", peer("haproxy.cfg").toString()).orFail();
    Commands.run(
            varnish,
            "-j",
            "none",
            "-C",
            "-n",
            directory.resolve("varnish").toString(),
            "-f",
            peer("varnish.vcl").toString())
        .orFail();
  }
}
