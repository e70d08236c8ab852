package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import io.forebay.testing.NotifyReceiver;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Debian package: what is in it, and its life from the installation to the purge, by dpkg in a
 * root of its own. Nothing here is systemd; what the units say is done by the test.
 */
@Tag("full")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class PackageIT {
  private static final String UNIT = "usr/lib/systemd/system/forebay.service";
  private static final String CONFIGURATION = "/etc/forebay/forebay.yaml";
  private static final String DROP_IN =
      "/usr/lib/systemd/system/forebay.service.d/50-notify-reload.conf";

  @TempDir private static Path shared;
  @TempDir private Path directory;

  private static Path built;
  private static Path tree;

  @BeforeAll
  static void build() throws Exception {
    for (String program : List.of("dpkg-deb", "man", "systemd-analyze", "unshare", "unzip")) {
      var _ = Tools.require(program);
    }
    Tools.requireRoot("install packages in a root");
    Commands.Finished ended =
        Jar.command(checkout().resolve("packaging/build-deb").toString(), shared.toString())
            .env("FOREBAY_JAR", Jar.file().toAbsolutePath().toString())
            .env("JAVA_HOME", System.getProperty("java.home"))
            .env("AOT_SECONDS", "1")
            .run()
            .orFail();
    built = Path.of(ended.out().strip());
    tree = shared.resolve("tree");
    Commands.run("dpkg-deb", "--extract", built.toString(), tree.toString()).orFail();
  }

  private static Path checkout() {
    return Path.of("..").toAbsolutePath().normalize();
  }

  @Test
  void theUnitsAreWhatSystemdTakes() throws Exception {
    // The program is not installed here, which is an error for systemd.
    Path unit = directory.resolve("forebay.service");
    Files.writeString(
        unit,
        Files.readString(tree.resolve(UNIT))
            .replace("/usr/bin/forebay", tree.resolve("usr/lib/forebay/forebay").toString()));
    Path socket =
        Files.copy(
            tree.resolve("usr/share/doc/forebay/examples/forebay.socket"),
            directory.resolve("forebay.socket"));

    Commands.Finished verified =
        Commands.run("systemd-analyze", "verify", "--man=no", unit.toString(), socket.toString());

    assertEquals("", verified.err());
    assertEquals(0, verified.exit());
    // Of 10; a unit that says nothing has 9.6.
    Commands.Finished secure =
        Commands.run(
            "systemd-analyze", "security", "--offline=true", "--threshold=20", unit.toString());
    assertEquals(0, secure.exit(), secure.out());
  }

  @Test
  void whatTheTypeOfTheServiceNeedsIsSaid() throws Exception {
    List<String> unit = Files.readAllLines(tree.resolve(UNIT));

    for (String line :
        List.of(
            "Type=notify",
            "NotifyAccess=main",
            "WatchdogSec=30s",
            "LimitMEMLOCK=infinity",
            "DynamicUser=no",
            "RemoveIPC=no")) {
      assertTrue(unit.contains(line), line);
    }
    assertEquals(
        List.of("[Service]", "Type=notify-reload", "ExecReload="),
        Files.readAllLines(tree.resolve("usr/lib/forebay/50-notify-reload.conf")).stream()
            .filter(line -> !line.startsWith("#"))
            .toList());
  }

  @Test
  void everyCommandHasAManualPageThatTroffTakes() throws Exception {
    Path pages = tree.resolve("usr/share/man/man1");
    try (Stream<Path> files = Files.list(pages)) {
      List<Path> all = files.toList();
      assertTrue(all.size() > 40, () -> all.size() + " pages");
      for (Path page : all) {
        Commands.Finished shown =
            Commands.run(
                "env",
                "LC_ALL=C.UTF-8",
                "MANROFFSEQ=",
                "MANWIDTH=80",
                "man",
                "--warnings",
                "--encoding=UTF-8",
                "--local-file",
                page.toString());
        assertEquals("", shown.err(), page::toString);
        assertTrue(shown.out().contains("NAME"), page::toString);
      }
    }
    String serve =
        Commands.run("man", "--local-file", pages.resolve("forebay-serve.1.gz").toString())
            .orFail()
            .out();
    assertTrue(serve.contains("forebay-serve - Run an edge"), serve);
    assertTrue(serve.contains("--memory-dir=DIR"), serve);
  }

  @Test
  void bashCompletesCommandsAndOptions() throws Exception {
    String script =
        """
        source "$0"
        complete -p forebay > /dev/null
        COMP_WORDS=(forebay rel) COMP_CWORD=1
        _complete_forebay
        echo "${COMPREPLY[@]}"
        COMP_WORDS=(forebay serve --memory-d) COMP_CWORD=2
        _complete_forebay
        echo "${COMPREPLY[@]}"
        """;

    Commands.Finished completed =
        Commands.run(
                "bash",
                "-c",
                script,
                tree.resolve("usr/share/bash-completion/completions/forebay").toString())
            .orFail();

    assertEquals("reload\n--memory-dir\n", completed.out());
  }

  @Test
  void itIsInstalledUpgradedRemovedAndPurged() throws Exception {
    CleanRoot root = CleanRoot.make(directory.resolve("root"), "passwd");
    Map<String, String> clean = root.contents();
    String users = Files.readString(root.file("/etc/passwd"));

    root.dpkg("--install", built.toString()).orFail();
    assertNativeCodeIsComplete(root);
    assertTheAotCacheFits(root);
    int port = Ports.free();
    HttpServer origin = origin();
    try {
      configure(root, port, origin.getAddress().getPort());
      assertServes(root, port);

      root.dpkg("--force-confold", "--install", newer().toString()).orFail();
      assertTrue(
          Files.readString(root.file(CONFIGURATION)).contains(":" + port),
          "the changed file is kept");
      assertTrue(
          Files.readString(root.file(CONFIGURATION + ".dpkg-dist")).contains("# of 9.9"),
          "beside what the package would have");
      assertServes(root, port);
    } finally {
      origin.stop(0);
    }
    assertFollowsSystemd(root);

    Files.createDirectories(root.file("/dev/shm/forebay"));
    root.dpkg("--remove", "forebay").orFail();
    assertFalse(Files.exists(root.file("/usr/lib/forebay")));
    assertFalse(Files.exists(root.file("/dev/shm/forebay")), "memory that nobody serves");
    assertFalse(Files.exists(root.file(DROP_IN).getParent()));
    assertTrue(Files.exists(root.file(CONFIGURATION)));
    assertTrue(Files.exists(root.file("/var/lib/forebay")));

    root.dpkg("--purge", "forebay").orFail();
    root.dpkg("--purge", "systemd").orFail();
    assertEquals(clean, root.contents());
    assertEquals(users, Files.readString(root.file("/etc/passwd")));
  }

  /** What the package depends on is all that its libraries need. */
  private static void assertNativeCodeIsComplete(CleanRoot root) throws Exception {
    Commands.Finished needed =
        root.run(
            "root",
            "env LD_LIBRARY_PATH=/usr/lib/forebay/jre/lib/server "
                + "find /usr/lib/forebay/jre -name '*.so' -exec ldd {} +");
    assertTrue(needed.out().contains("libc.so.6"), needed.out() + needed.err());
    assertEquals(
        List.of(), needed.out().lines().filter(line -> line.contains("not found")).toList());
  }

  private static void assertTheAotCacheFits(CleanRoot root) throws Exception {
    Commands.Finished version =
        root.run(
            "forebay",
            "/usr/lib/forebay/jre/bin/java --sun-misc-unsafe-memory-access=allow"
                + " -XX:+UseSerialGC -XX:AOTCache=/usr/lib/forebay/forebay.aot -XX:AOTMode=on"
                + " -jar /usr/lib/forebay/forebay.jar --version");
    assertEquals(0, version.exit(), version.out() + version.err());
    assertTrue(version.out().startsWith("forebay "), version.out());
  }

  private static HttpServer origin() throws IOException {
    HttpServer origin =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    origin.createContext(
        "/",
        exchange -> {
          byte[] body = "of the origin".getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Cache-Control", "max-age=600");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    origin.start();
    return origin;
  }

  private static void configure(CleanRoot root, int port, int origin) throws IOException {
    Path file = root.file(CONFIGURATION);
    Files.writeString(
        file,
        Files.readString(file)
            .replace("127.0.0.1:8080", "127.0.0.1:" + port)
            .replace("127.0.0.1:9000", "127.0.0.1:" + origin)
            .replace("memory: 25%", "memory: 32MiB"));
  }

  /** Does what the unit says, as systemd does. */
  private void assertServes(CleanRoot root, int port) throws Exception {
    Path run = Files.createDirectories(root.file("/run/forebay"));
    Commands.run("chroot", root.file("/").toString(), "chown", "forebay:", "/run/forebay").orFail();
    String start = setting("ExecStart").getFirst();
    Path notify = root.file("/run/notify");
    Files.deleteIfExists(notify);
    try (NotifyReceiver systemd = NotifyReceiver.bind(notify.toString())) {
      Files.setPosixFilePermissions(notify, PosixFilePermissions.fromString("rwxrwxrwx"));
      List<String> command = root.command("forebay", start);
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("serve.log").toFile());
      builder.environment().keySet().removeIf(name -> name.startsWith("FOREBAY_"));
      builder.environment().put("NOTIFY_SOCKET", "/run/notify");
      Process process = builder.start();
      try {
        String ready = systemd.next();
        assertTrue(ready.startsWith("READY=1\nSTATUS=serving on http 127.0.0.1:" + port), ready);
        assertEquals("MISS", cacheStatus(port));
        assertEquals("HIT", cacheStatus(port));
        // By the socket of the admin API, which nobody named.
        Commands.Finished stats = root.run("root", "/usr/bin/forebay stats --json");
        assertTrue(stats.out().contains("\"hit\":1"), stats.out() + stats.err());
        assertTrue(Files.exists(run.resolve("admin.sock")));

        for (String reload : setting("ExecReload")) {
          Commands.Finished done =
              root.run("root", reload.replace("$MAINPID", Long.toString(process.pid())));
          assertEquals(0, done.exit(), done.out() + done.err());
        }
        assertTrue(systemd.next().startsWith("RELOADING=1\nMONOTONIC_USEC="));
        assertTrue(systemd.next().startsWith("READY=1\nSTATUS=serving on "));

        assertTrue(process.toHandle().destroy());
        assertTrue(systemd.next().startsWith("STOPPING=1\nEXTEND_TIMEOUT_USEC=90000000\n"));
        assertTrue(process.waitFor(2, TimeUnit.MINUTES));
        assertEquals(0, process.exitValue());
      } finally {
        process.destroyForcibly().waitFor();
      }
    }
    Files.delete(notify);
    assertTrue(Files.size(root.file("/var/log/forebay/access.json")) > 0);
  }

  private static List<String> setting(String name) throws IOException {
    List<String> values = new ArrayList<>();
    for (String line : Files.readAllLines(tree.resolve(UNIT))) {
      if (line.startsWith(name + "=")) {
        values.add(line.substring(name.length() + 1));
      }
    }
    assertFalse(values.isEmpty(), name);
    return values;
  }

  /** The first is a miss in each life, since what is stored in memory ends with the mount. */
  private static String cacheStatus(int port) throws Exception {
    String[] status = new String[1];
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/page")).build();
      Await.until(
          "an answer",
          () -> {
            HttpResponse<String> response =
                client.send(request, HttpResponse.BodyHandlers.ofString());
            status[0] = response.headers().firstValue("Cache-Status").orElse("");
            return response.body().equals("of the origin");
          });
    }
    return status[0].contains("; hit") ? "HIT" : "MISS";
  }

  /** The same package in a later version, whose configuration differs. */
  private Path newer() throws Exception {
    Path files = directory.resolve("newer");
    Commands.run("dpkg-deb", "--raw-extract", built.toString(), files.toString()).orFail();
    Path control = files.resolve("DEBIAN/control");
    Files.writeString(
        control, Files.readString(control).replaceFirst("Version: .*", "Version: 9.9"));
    Path configuration = files.resolve(CONFIGURATION.substring(1));
    Files.writeString(configuration, Files.readString(configuration) + "# of 9.9\n");
    return packed(files, "newer.deb");
  }

  private Path packed(Path files, String name) throws Exception {
    Path file = directory.resolve(name);
    Commands.run(
            "dpkg-deb",
            "--root-owner-group",
            "-Znone",
            "--build",
            files.toString(),
            file.toString())
        .orFail();
    return file;
  }

  /** The drop-in is there while a systemd is installed that knows its type of service. */
  private void assertFollowsSystemd(CleanRoot root) throws Exception {
    assertFalse(Files.exists(root.file(DROP_IN)));
    for (String version : List.of("252.1", "255.4", "252.1", "257")) {
      Path files = directory.resolve("systemd-" + version);
      Files.createDirectories(files.resolve("usr/lib/systemd"));
      Files.createDirectories(files.resolve("DEBIAN"));
      Files.writeString(files.resolve("usr/lib/systemd/systemd"), version);
      Files.writeString(
          files.resolve("DEBIAN/control"),
          "Package: systemd\nVersion: "
              + version
              + "\nArchitecture: all\nMaintainer: a test <test@test.invalid>\n"
              + "Description: a systemd\n");
      root.dpkg("--force-downgrade", "--install", packed(files, "systemd.deb").toString()).orFail();
      assertEquals(
          !version.startsWith("252"),
          Files.exists(root.file("/usr/lib/forebay/50-notify-reload.conf"))
              && Files.isSymbolicLink(root.file(DROP_IN)),
          version);
    }
  }
}
