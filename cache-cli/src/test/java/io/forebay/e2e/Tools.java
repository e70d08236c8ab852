package io.forebay.e2e;

import io.forebay.testing.Commands;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * External programs that tests need. If one is missing the test is skipped with a line that names
 * the Debian package; if {@code CI=true} states that all are installed, it fails.
 */
public final class Tools {
  private static final Map<String, String> PACKAGES =
      Map.ofEntries(
          Map.entry("caddy", "caddy"),
          Map.entry("chromium", "chromium"),
          Map.entry("curl", "curl"),
          Map.entry("debootstrap", "debootstrap"),
          Map.entry("docker-compose", "docker-compose"),
          Map.entry("dockerd", "docker.io"),
          Map.entry("etcd", "etcd-server"),
          Map.entry("etcdctl", "etcd-client"),
          Map.entry("ffmpeg", "ffmpeg"),
          Map.entry("fsfreeze", "util-linux"),
          Map.entry("h2load", "nghttp2-client"),
          Map.entry("haproxy", "haproxy"),
          Map.entry("ip", "iproute2"),
          Map.entry("iptables", "iptables"),
          Map.entry("man", "man-db"),
          Map.entry("mkfs.ext4", "e2fsprogs"),
          Map.entry("nghttp", "nghttp2-client"),
          Map.entry("nginx", "nginx-light"),
          Map.entry("openssl", "openssl"),
          Map.entry("php", "php-cli"),
          Map.entry("prometheus", "prometheus"),
          Map.entry("promtool", "prometheus"),
          Map.entry("systemd-analyze", "systemd"),
          Map.entry("traffic_server", "trafficserver"),
          Map.entry("unzip", "unzip"),
          Map.entry("varnishd", "varnish"),
          Map.entry("wrk", "wrk"));

  /** Debian's, which has Debian's modules. */
  static final String PYTHON = "/usr/bin/python3";

  /** Where .ci/run puts what comes from no Debian package; a test runs in its module's folder. */
  private static final Path OWN_PYTHON = Path.of("..", ".venv", "bin", "python");

  /** Where .ci/run puts hls.js and dash.js. */
  private static final Path PLAYERS = Path.of("..", ".tools", "players");

  private Tools() {}

  /** The program's path, or the end of the test. */
  public static Path require(String program) {
    for (String directory :
        (System.getenv("PATH") + ":/usr/sbin:/sbin").split(File.pathSeparator, -1)) {
      Path path = Path.of(directory, program);
      if (Files.isExecutable(path)) {
        return path;
      }
    }
    throw missing(
        program
            + " is missing: apt-get install "
            + PACKAGES.getOrDefault(program, "(the package with " + program + ")"));
  }

  /** Goes on only where files are that a script fetches. */
  public static void requireFiles(Path directory, String script) {
    if (!Files.isDirectory(directory)) {
      throw missing(directory.normalize() + " is missing: run " + script);
    }
  }

  /** Goes on only as root, who may mount file systems. */
  static void requireRoot(String forWhat) {
    if (!"root".equals(System.getProperty("user.name"))) {
      throw missing("only root may " + forWhat);
    }
  }

  /** Goes on only where file systems of a process's own can be mounted. */
  static void requireFuse() throws IOException, InterruptedException {
    requireRoot("mount a file system that fails");
    if (!Files.isExecutable(Path.of(PYTHON))
        || Commands.run(PYTHON, "-c", "import fusepy").exit() != 0) {
      throw missing("python's fusepy is missing: apt-get install python3-fusepy libfuse2 fuse3");
    }
    try (FileChannel device =
        FileChannel.open(Path.of("/dev/fuse"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      Objects.requireNonNull(device);
    } catch (IOException e) {
      // No package provides the device, and a container may lack it: skip, never fail.
      String why = "/dev/fuse can't be opened: " + e;
      System.out.println("skipped: " + why);
      Assumptions.abort(why);
    }
  }

  /**
   * Goes on only where processes can have networks, mounts and process ids of their own.
   *
   * @param command which runs what follows it so
   */
  public static void requireNamespaces(List<String> command)
      throws IOException, InterruptedException {
    requireRoot("make namespaces");
    List<String> probe = new ArrayList<>(command);
    probe.addAll(
        List.of(
            "sh", "-c", "ip link add name b0 type bridge && ip netns add n && ip netns delete n"));
    Commands.Finished tried = Commands.run(Duration.ofSeconds(20), probe);
    if (tried.exit() != 0) {
      throw missing("namespaces cannot be made here: " + tried);
    }
  }

  /** Debian's library that gives a process another time of day. */
  public static Path requireFaketime() throws IOException {
    try (Stream<Path> architectures = Files.list(Path.of("/usr/lib"))) {
      return architectures
          .map(directory -> directory.resolve("faketime/libfaketimeMT.so.1"))
          .filter(Files::exists)
          .findFirst()
          .orElseThrow(() -> missing("libfaketime is missing: apt-get install libfaketime"));
    }
  }

  /** A Python that has aioquic, an HTTP/3 client. */
  static Path requireAioquic() throws IOException, InterruptedException {
    return requireModule("aioquic", "aioquic");
  }

  /** A Python that has Django. */
  static Path requireDjango() throws IOException, InterruptedException {
    return requireModule("django", "Django");
  }

  /** A Python that has gRPC. */
  static Path requireGrpc() throws IOException, InterruptedException {
    return requireModule("grpc", "grpcio");
  }

  /** A Python that has botocore, which signs for CloudFront, and cryptography. */
  static Path requireBotocore() throws IOException, InterruptedException {
    return requireModule("botocore, cryptography", "botocore");
  }

  /** A Python that has the schemas of Kubernetes. */
  static Path requireKubernetesSchemas() throws IOException, InterruptedException {
    return requireModule("kubernetes_validate", "kubernetes-validate");
  }

  /** A Python that has the schema of OpenAPI documents. */
  static Path requireOpenApiSchema() throws IOException, InterruptedException {
    return requireModule("openapi_spec_validator", "openapi-spec-validator");
  }

  /** A Python that signs tokens, with RSA and elliptic curves too. */
  static Path requirePyJwt() throws IOException, InterruptedException {
    return requireModule("jwt", "PyJWT[crypto]");
  }

  /** A script of one of the players that pages use: {@code hls.js} or {@code dash.js}. */
  static Path requirePlayer(String script) {
    Path file = PLAYERS.resolve(script).toAbsolutePath();
    if (!Files.isRegularFile(file)) {
      throw missing(script + " is missing: .ci/run fetches it into .tools/players");
    }
    return file;
  }

  private static Path requireModule(String module, String distribution)
      throws IOException, InterruptedException {
    Path python = OWN_PYTHON.toAbsolutePath();
    if (!Files.isExecutable(python)
        || Commands.run(python.toString(), "-c", "import " + module).exit() != 0) {
      throw missing(
          "python's %1$s is missing: python3 -m venv .venv && .venv/bin/pip install %1$s"
              .formatted(distribution));
    }
    return python;
  }

  /** A PHP that can run the MediaWiki that is there. */
  static Path requireMediaWiki() throws IOException, InterruptedException {
    String packages =
        "apt-get install --no-install-recommends mediawiki php-cli php-sqlite3 php-mbstring"
            + " php-xml php-intl php-curl";
    Path php = require("php");
    if (!Files.isRegularFile(Path.of("/usr/share/mediawiki/maintenance/install.php"))) {
      throw missing("MediaWiki is missing: " + packages);
    }
    String extensions = Commands.run(php.toString(), "-m").orFail().out();
    for (String extension : List.of("pdo_sqlite", "mbstring", "xml", "intl", "curl")) {
      if (!extensions.lines().toList().contains(extension)) {
        throw missing("PHP's " + extension + " is missing: " + packages);
      }
    }
    return php;
  }

  /** What runs WordPress. */
  record WordPress(Path php, Path database, Path installDb) {}

  /** A PHP and a MariaDB that can run the WordPress that is there. */
  static WordPress requireWordPress() throws IOException, InterruptedException {
    String packages =
        "apt-get install --no-install-recommends wordpress wordpress-theme-twentytwentythree"
            + " mariadb-server-core php-cli php-cgi php-mysql";
    Path php = require("php");
    Path code = Path.of("/usr/share/wordpress");
    if (!Files.isRegularFile(code.resolve("wp-load.php"))
        || !Files.isDirectory(code.resolve("wp-content/themes/twentytwentythree"))) {
      throw missing("WordPress is missing: " + packages);
    }
    if (!Commands.run(php.toString(), "-m").orFail().out().lines().toList().contains("mysqli")) {
      throw missing("PHP's mysqli is missing: " + packages);
    }
    return new WordPress(php, require("mariadbd"), require("mariadb-install-db"));
  }

  /**
   * Writes a certificate that nobody but itself has signed, for two days, and its key, as PEM.
   *
   * @param alternatives all of its names as openssl takes them: {@code DNS:a.test,IP:127.0.0.1}
   */
  static void selfSigned(Path certificate, Path key, String host, String alternatives)
      throws IOException, InterruptedException {
    Commands.run(
            require("openssl").toString(),
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=" + host,
            "-addext",
            "subjectAltName=" + alternatives,
            "-keyout",
            key.toString(),
            "-out",
            certificate.toString())
        .orFail();
  }

  /** Copies what stands beside the tests to a file. */
  static Path resource(String name, Path file) throws IOException {
    try (InputStream in = Objects.requireNonNull(Tools.class.getResourceAsStream(name), name)) {
      return Files.write(file, in.readAllBytes());
    }
  }

  private static RuntimeException missing(String why) {
    if ("true".equals(System.getenv("CI"))) {
      return Assertions.<RuntimeException>fail(why);
    }
    System.out.println("skipped: " + why);
    return Assumptions.<RuntimeException>abort(why);
  }

  /**
   * Closes what was opened before a test class ended, or was skipped: what never was is null. The
   * first that fails is told of, the others are closed all the same.
   */
  static void close(@Nullable AutoCloseable... opened) {
    List<Throwable> failures = new ArrayList<>();
    for (AutoCloseable one : opened) {
      try {
        if (one != null) {
          one.close();
        }
      } catch (Exception | AssertionError failed) {
        failures.add(failed);
      }
    }
    if (!failures.isEmpty()) {
      throw new AssertionError("could not be closed in order", failures.getFirst());
    }
  }
}
