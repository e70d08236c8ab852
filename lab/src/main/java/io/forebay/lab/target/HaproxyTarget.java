package io.forebay.lab.target;

import io.forebay.lab.target.RunningTarget.Counters;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** HAProxy with its cache in memory, which holds little: it is made for small objects. */
final class HaproxyTarget implements Target {
  private static final String PROGRAM = "haproxy";
  private static final long MEBIBYTE = 1L << 20;

  /** Its {@code total-max-size} in MiB goes no higher. */
  private static final long MAX_MEGABYTES = 4095;

  private static final int MAX_ANSWER = 1 << 20;

  private static final String CONFIG =
      """
      global
        nbthread @THREADS@
        maxconn @CONNECTIONS@
        stats socket @SOCKET@ mode 600 level user
        tune.bufsize 32768
        tune.h2.max-concurrent-streams 128
      defaults
        mode http
        option http-ignore-probes
        timeout client 60s
        timeout server 60s
        timeout connect 5s
      cache lab
        total-max-size @MEGABYTES@
        max-object-size @OBJECT@
        max-age 86400
      frontend clients
        bind @HOST@:@PORT@@TLS@
        http-request cache-use lab
        http-response cache-store lab
        default_backend origin
      backend origin
        server origin @ORIGIN@
      """;

  @Override
  public String name() {
    return PROGRAM;
  }

  @Override
  public @Nullable String missing() {
    return Programs.missing(PROGRAM, PROGRAM);
  }

  @Override
  public String version() throws IOException, InterruptedException {
    return Programs.version(Programs.output(List.of(Programs.path(PROGRAM, PROGRAM), "-v")));
  }

  @Override
  public RunningTarget start(TargetSpec spec) throws IOException, InterruptedException {
    StartedTarget.refuseHttp3(spec, "HAProxy");
    if (spec.hasDisk()) {
      throw new UnsupportedOperationException("HAProxy has no cache on disk.");
    }
    String program = Programs.path(PROGRAM, PROGRAM);
    return StartedTarget.start(
        spec,
        group -> {
          int port = FreePorts.take(spec.address());
          Path socket = group.memoryDirectory().resolve("stats");
          Path file = spec.directory().toAbsolutePath().resolve("haproxy.cfg");
          Path both = spec.tls() == null ? null : VarnishTarget.combined(spec, spec.tls());
          Files.writeString(file, config(spec, port, socket, both, OpenFiles.limit()));
          List<String> command = new ArrayList<>(Placement.prefix(spec));
          command.addAll(List.of(program, "-db", "-f", file.toString()));
          group.start(PROGRAM, command, Map.of());
          group.await("HAProxy listens", () -> StatusPage.isListening(spec.address(), port));
          return new StartedTarget(
              StartedTarget.address(spec, port), group, () -> counters(ask(socket)));
        });
  }

  /** Objects may take half of the cache, which is the most that it allows. */
  static String config(
      TargetSpec spec, int port, Path socket, @Nullable Path certificate, int openFiles) {
    long megabytes = Math.clamp(spec.memoryBytes() / MEBIBYTE, 1, MAX_MEGABYTES);
    return Template.fill(
        CONFIG,
        Map.of(
            "THREADS",
            spec.threads(),
            "CONNECTIONS",
            Math.max(1, openFiles / 2 - 200),
            "SOCKET",
            socket,
            "MEGABYTES",
            megabytes,
            "OBJECT",
            megabytes * MEBIBYTE / 2,
            "HOST",
            spec.host(),
            "PORT",
            port,
            "TLS",
            certificate == null
                ? ""
                : " ssl crt " + certificate + " alpn h2,http/1.1 ssl-min-ver TLSv1.2",
            "ORIGIN",
            spec.originAddress()));
  }

  private static String ask(Path socket) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      channel.write(StandardCharsets.US_ASCII.encode("show stat\n"));
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
      while (channel.read(buffer) >= 0 && answer.size() < MAX_ANSWER) {
        answer.write(buffer.array(), 0, buffer.position());
        buffer.clear();
      }
      return answer.toString(StandardCharsets.US_ASCII);
    }
  }

  /** From the table of {@code show stat}. It counts bytes with heads. */
  static Counters counters(String table) throws IOException {
    Map<String, String> clients = row(table, "clients", "FRONTEND");
    Map<String, String> origin = row(table, "origin", "BACKEND");
    return new Counters(
        count(clients, "req_tot"),
        count(clients, "cache_hits"),
        count(clients, "bout"),
        count(origin, "bout"),
        Map.of());
  }

  private static Map<String, String> row(String table, String proxy, String service)
      throws IOException {
    List<String> lines = table.lines().toList();
    String[] names = (lines.isEmpty() ? "" : lines.getFirst()).replace("# ", "").split(",", -1);
    for (String line : lines) {
      if (line.startsWith(proxy + "," + service + ",")) {
        String[] values = line.split(",", -1);
        Map<String, String> row = new HashMap<>();
        for (int i = 0; i < Math.min(names.length, values.length); i++) {
          row.put(names[i], values[i]);
        }
        return row;
      }
    }
    throw new IOException("HAProxy's statistics have no " + service + " " + proxy);
  }

  private static long count(Map<String, String> row, String name) throws IOException {
    String value = row.getOrDefault(name, "");
    if (!value.matches("[0-9]{1,18}")) {
      throw new IOException("HAProxy does not count " + name);
    }
    return Long.parseLong(value);
  }
}
