package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.target.RunningTarget.Counters;
import io.forebay.testing.Await;
import io.forebay.testing.PathOrigin;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each program, really started, between a client and an origin of this process. */
@Tag("full")
class TargetsIT {
  private static final int BODY = 100_000;
  private static final long MEMORY = 64L << 20;
  private static final long DISK = 256L << 20;
  private static final Pattern SCRATCH = Pattern.compile("/dev/shm/forebay-lab-[0-9]+");

  @TempDir Path directory;

  private PathOrigin origin;

  @BeforeEach
  void startOrigin() throws IOException {
    origin = PathOrigin.start();
    origin.otherwise(exchange ->
        exchange.respond(200, "Cache-Control: max-age=3600\r\n", body(exchange.request().path())));
  }

  @AfterEach
  void stopOrigin() throws IOException {
    origin.close();
  }

  private static byte[] body(String path) {
    byte[] body = new byte[BODY];
    new Random(path.hashCode()).nextBytes(body);
    return body;
  }

  /** The program, or the end of the test: a failure where CI states that all are installed. */
  private static Target require(String name) {
    Target target = Targets.named(name);
    goOnUnless(target.missing());
    return target;
  }

  private static void goOnUnless(@Nullable String missing) {
    if (missing != null) {
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(missing);
      }
      System.out.println("skipped: " + missing);
      Assumptions.abort(missing);
    }
  }

  private TargetSpec spec(long disk, TargetSpec.@Nullable Tls tls, boolean http3) {
    return new TargetSpec(
        directory.resolve("target"),
        URI.create(origin.url()),
        MEMORY,
        disk,
        1,
        null,
        -1,
        tls,
        http3);
  }

  private static TargetSpec withMemory(long bytes, TargetSpec spec) {
    return new TargetSpec(
        spec.directory(),
        spec.origin(),
        bytes,
        spec.diskBytes(),
        spec.disks(),
        spec.loops(),
        spec.cpus(),
        spec.numaNode(),
        spec.tls(),
        spec.http3(),
        spec.address());
  }

  private static HttpClient client(@Nullable Path authority) throws Exception {
    HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    if (authority != null) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setCertificateEntry(
          "authority",
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(authority))));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      builder.sslContext(context);
    }
    return builder.build();
  }

  private static HttpResponse<byte[]> get(HttpClient client, URI address, String path)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> response =
        client.send(
            HttpRequest.newBuilder(address.resolve(path)).build(),
            HttpResponse.BodyHandlers.ofByteArray());
    assertEquals(200, response.statusCode());
    assertTrue(Arrays.equals(body(path), response.body()), path);
    return response;
  }

  /** Directories in memory that its configuration and its commands name. */
  private Set<Path> scratch(RunningTarget running) throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.list(directory.resolve("target"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        text.append(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    Path storage = directory.resolve("target/etc/storage.config");
    text.append(Files.exists(storage) ? Files.readString(storage) : "");
    for (ProcessHandle handle : running.processes()) {
      text.append(handle.info().commandLine().orElse("")).append('\n');
    }
    Set<Path> found = new HashSet<>();
    Matcher matcher = SCRATCH.matcher(text);
    while (matcher.find()) {
      found.add(Path.of(matcher.group()));
    }
    return found;
  }

  private static void assertGone(List<ProcessHandle> processes, Set<Path> scratch) {
    assertFalse(processes.isEmpty());
    assertTrue(processes.stream().noneMatch(ProcessHandle::isAlive), processes::toString);
    assertFalse(scratch.isEmpty());
    assertTrue(scratch.stream().noneMatch(Files::exists), scratch::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"forebay", "nginx", "ats", "varnish", "haproxy"})
  void missesAndHitsAreCountedAndNothingIsLeft(String name) throws Exception {
    Target target = require(name);
    List<ProcessHandle> processes;
    Set<Path> scratch;
    try (HttpClient client = client(null);
        RunningTarget running = target.start(spec(0, null, false))) {
      Counters before = running.counters();
      assertEquals(0, before.requests());
      for (String path : List.of("/a", "/b", "/a", "/b", "/a")) {
        get(client, running.address(), path);
      }
      Counters after = running.counters();
      assertEquals(5, after.requests(), after::toString);
      assertEquals(3, after.hits(), after::toString);
      assertBytes(5, after.bytesSent());
      assertBytes(2, after.bytesFetched());
      assertEquals(2, origin.requests().size());
      processes = running.processes();
      scratch = scratch(running);
    }
    assertGone(processes, scratch);
    assertTrue(target.version().matches("[0-9]+\\..*"), target.version());
  }

  /** Some programs count heads, too. */
  private static void assertBytes(int bodies, long bytes) {
    assertTrue(
        bytes == -1 || (bytes >= (long) bodies * BODY && bytes <= bodies * (BODY + 1_000L)),
        () -> bodies + " bodies: " + bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"forebay", "nginx", "ats", "varnish", "haproxy"})
  void clientsOnOtherHostsConnectToAnAddressOfThisOne(String name) throws Exception {
    Target target = require(name);
    InetAddress address = InetAddress.ofLiteral("127.0.0.2");
    TargetSpec.Tls tls =
        name.equals("varnish") && Programs.missing("hitch", "hitch") != null
            ? null
            : LabCertificates.create(directory.resolve("tls"), address);
    for (TargetSpec spec :
        List.of(
            spec(0, null, false).withAddress(address), spec(0, tls, false).withAddress(address))) {
      try (HttpClient client = client(spec.tls() == null ? null : spec.tls().authority());
          RunningTarget running = target.start(spec)) {
        assertEquals("127.0.0.2", running.address().getHost());
        assertFalse(StatusPage.isListening(running.address().getPort()), "on loopback as well");
        get(client, running.address(), "/a");
        get(client, running.address(), "/a");
        assertEquals(1, running.counters().hits());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"forebay", "nginx", "ats", "varnish", "haproxy"})
  void clientsTrustItsCertificateOverTls(String name) throws Exception {
    Target target = require(name);
    if (name.equals("varnish")) {
      goOnUnless(Programs.missing("hitch", "hitch"));
    }
    TargetSpec.Tls tls = LabCertificates.create(directory.resolve("tls"), TargetSpec.LOOPBACK);
    List<ProcessHandle> processes;
    Set<Path> scratch;
    try (HttpClient client = client(tls.authority());
        RunningTarget running = target.start(spec(0, tls, false))) {
      assertEquals("https", running.address().getScheme());
      get(client, running.address(), "/a");
      get(client, running.address(), "/a");
      Counters after = running.counters();
      assertEquals(2, after.requests(), after::toString);
      assertEquals(1, after.hits(), after::toString);
      assertBytes(2, after.bytesSent());
      processes = running.processes();
      scratch = scratch(running);
    }
    assertGone(processes, scratch);
  }

  @ParameterizedTest
  @ValueSource(strings = {"forebay", "nginx", "ats", "varnish"})
  void disksAreUsedAndCleared(String name) throws Exception {
    Target target = require(name);
    List<Path> disks =
        List.of(
            Files.createDirectories(directory.resolve("disk-1")),
            Files.createDirectories(directory.resolve("disk-2")));
    TargetSpec one = spec(DISK, null, false);
    TargetSpec two =
        new TargetSpec(
            one.directory(),
            one.origin(),
            MEMORY,
            DISK,
            disks,
            1,
            null,
            -1,
            null,
            false,
            TargetSpec.LOOPBACK);
    try (HttpClient client = client(null);
        RunningTarget running = target.start(two)) {
      for (int i = 0; i < 40; i++) {
        get(client, running.address(), "/" + i % 20);
      }
      Counters after = running.counters();
      assertEquals(40, after.requests(), after::toString);
      assertEquals(20, after.hits(), after::toString);
      for (Path disk : disks) {
        try (Stream<Path> files = Files.walk(disk)) {
          assertTrue(files.anyMatch(Files::isRegularFile) || name.equals("nginx"), disk::toString);
        }
      }
    }
    for (Path disk : disks) {
      try (Stream<Path> files = Files.list(disk)) {
        assertEquals(List.of(), files.toList());
      }
    }
  }

  @Test
  void haproxyHasNoDisk() {
    Target target = require("haproxy");
    assertThrows(UnsupportedOperationException.class, () -> target.start(spec(DISK, null, false)));
  }

  @Test
  void forebayOffersHttp3AndTheOthersSayThatTheyDoNot() throws Exception {
    TargetSpec.Tls tls = LabCertificates.create(directory.resolve("tls"), TargetSpec.LOOPBACK);
    try (HttpClient client = client(tls.authority());
        RunningTarget running = require("forebay").start(spec(0, tls, true))) {
      String offered =
          get(client, running.address(), "/a").headers().firstValue("alt-svc").orElse("");
      assertTrue(offered.contains("h3=\":" + running.address().getPort() + "\""), offered);
    }
    for (String name : List.of("nginx", "ats", "varnish", "haproxy")) {
      Target target = Targets.named(name);
      assertThrows(
          UnsupportedOperationException.class, () -> target.start(spec(0, tls, true)), name);
    }
  }

  @Test
  void aSettingThatIsRefusedIsToldWithTheProgramsWords() {
    Target target = require("forebay");
    TargetSpec tiny = withMemory(1_000, spec(0, null, false));
    IOException failed = assertThrows(IOException.class, () -> target.start(tiny));
    String told = String.valueOf(failed.getMessage());
    assertTrue(told.contains("store.memory"), told);
  }

  @Test
  void forebayAnswersWhichMemoryGivesAHitRatio() throws Exception {
    Target target = require("forebay");
    origin.otherwise(
        exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", new byte[50_000]));
    Random random = new Random(23);
    try (HttpClient client = client(null);
        RunningTarget running = target.start(withMemory(16L << 20, spec(0, null, false)))) {
      assertEquals(-1, running.memoryForHitRatio(0.5));
      // Twice as much as memory holds, drawn evenly.
      Await.until(
          "the curve reaches 80 %",
          () -> {
            for (int i = 0; i < 500; i++) {
              client.send(
                  HttpRequest.newBuilder(running.address().resolve("/" + random.nextInt(600)))
                      .build(),
                  HttpResponse.BodyHandlers.discarding());
            }
            return running.memoryForHitRatio(0.8) > 0;
          });
      long half = running.memoryForHitRatio(0.5);
      long most = running.memoryForHitRatio(0.8);
      assertTrue(half > 4L << 20 && half < 40L << 20, () -> "half: " + half);
      assertTrue(most > half, () -> half + " " + most);
      assertTrue(running.memoryForByteHitRatio(0.5) > 4L << 20);
    }
  }

  @Test
  void instancesAreCountedTogether() throws Exception {
    Target target = require("nginx");
    List<TargetSpec> parts = TargetGroup.divide(spec(0, null, false), 2);
    List<ProcessHandle> processes;
    try (HttpClient client = client(null);
        TargetGroup group = TargetGroup.start(target, parts)) {
      for (URI address : group.addresses()) {
        get(client, address, "/a");
        get(client, address, "/a");
      }
      assertEquals(4, group.counters().requests());
      assertEquals(2, group.counters().hits());
      processes = group.processes();
    }
    assertTrue(processes.size() >= 4, processes::toString);
    assertTrue(processes.stream().noneMatch(ProcessHandle::isAlive), processes::toString);
  }
}
