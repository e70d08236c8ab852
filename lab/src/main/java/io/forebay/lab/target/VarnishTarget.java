package io.forebay.lab.target;

import io.forebay.lab.target.RunningTarget.Counters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Varnish, with storage in memory or in files, and hitch before it for TLS. */
final class VarnishTarget implements Target {
  private static final String PROGRAM = "varnishd";
  private static final String PACKAGE = "varnish";
  private static final String FRONT = "hitch";

  /** Its threads add up what they count when they have had nothing to do for a moment. */
  private static final long SETTLE_MILLIS = 300;

  @Override
  public String name() {
    return "varnish";
  }

  @Override
  public @Nullable String missing() {
    return Programs.missing(PROGRAM, PACKAGE);
  }

  @Override
  public String version() throws IOException, InterruptedException {
    return Programs.version(Programs.output(List.of(Programs.path(PROGRAM, PACKAGE), "-V")));
  }

  @Override
  public RunningTarget start(TargetSpec spec) throws IOException, InterruptedException {
    StartedTarget.refuseHttp3(spec, "Varnish");
    String program = Programs.path(PROGRAM, PACKAGE);
    String statistics = Programs.path("varnishstat", PACKAGE);
    TargetSpec.Tls tls = spec.tls();
    String missing = Programs.missing(FRONT, FRONT);
    if (tls != null && missing != null) {
      throw new UnsupportedOperationException("Varnish has no TLS without hitch; " + missing);
    }
    return StartedTarget.start(
        spec,
        group -> {
          int port = FreePorts.take(spec.address());
          Path directory = spec.directory().toAbsolutePath();
          // Its log of all requests is a file that it maps: not on a disk.
          Path work = group.memoryDirectory();
          Path socket = work.resolve("front");
          Path vcl = directory.resolve("lab.vcl");
          Files.writeString(vcl, vcl(spec));
          List<String> prefix = Placement.prefix(spec);
          List<String> command = new ArrayList<>(prefix);
          command.add(program);
          command.addAll(arguments(spec, port, work, socket, vcl, group.diskDirectories(spec)));
          group.start("varnish", command, Map.of());
          List<String> question = List.of(statistics, "-j", "-n", instance(work));
          group.await(
              "Varnish serves",
              () ->
                  isCounting(Programs.result(question))
                      && StatusPage.isListening(spec.address(), port));
          int front = port;
          if (tls != null) {
            front = FreePorts.take(spec.address());
            group.start(FRONT, hitch(spec, tls, prefix, front, socket), Map.of());
            int listening = front;
            group.await("hitch listens", () -> StatusPage.isListening(spec.address(), listening));
          }
          return new StartedTarget(
              StartedTarget.address(spec, front),
              group,
              () -> {
                Thread.sleep(SETTLE_MILLIS);
                return counters(Programs.result(question));
              });
        });
  }

  private static String instance(Path work) {
    return work.resolve("varnish").toString();
  }

  /** The default program would pass requests with cookies. */
  static String vcl(TargetSpec spec) {
    return """
    vcl 4.1;
    backend default { .host = "@HOST@"; .port = "@PORT@"; }
    sub vcl_recv { unset req.http.Cookie; }
    """
        .replace("@HOST@", spec.origin().getHost())
        .replace("@PORT@", Integer.toString(spec.originPort()));
  }

  static List<String> arguments(
      TargetSpec spec, int port, Path work, Path socket, Path vcl, List<Path> disks) {
    List<String> words = new ArrayList<>(List.of("-F", "-j", "none", "-n", instance(work)));
    words.addAll(List.of("-a", spec.host() + ":" + port));
    if (spec.tls() != null) {
      words.addAll(List.of("-a", socket + ",PROXY,mode=666"));
    }
    words.addAll(List.of("-f", vcl.toString()));
    for (int i = 0; i < disks.size(); i++) {
      String file = disks.get(i).resolve("storage").toString();
      words.addAll(
          List.of(
              "-s", "disk" + (i + 1) + "=file," + file + "," + spec.diskBytes() / disks.size()));
    }
    if (disks.isEmpty()) {
      words.addAll(List.of("-s", "memory=malloc," + spec.memoryBytes()));
    }
    // One thread a request in progress; a pool for each two CPUs, as many as its default at least.
    int pools = spec.threads() == 1 ? 1 : Math.max(2, spec.threads() / 2);
    for (String parameter :
        List.of(
            "thread_pools=" + pools,
            "thread_pool_min=200",
            "feature=+http2",
            "http_req_hdr_len=16k",
            "h2_max_concurrent_streams=128")) {
      words.addAll(List.of("-p", parameter));
    }
    return words;
  }

  /**
   * In front by PROXY protocol; root's hitch becomes somebody who can pass no private directory.
   */
  private static List<String> hitch(
      TargetSpec spec, TargetSpec.Tls tls, List<String> prefix, int port, Path socket)
      throws IOException {
    Path pem = combined(spec, tls);
    List<String> command = new ArrayList<>(prefix);
    command.add(Programs.path(FRONT, FRONT));
    // It wants brackets around addresses of IPv4 as well.
    String frontend = "[" + spec.address().getHostAddress() + "]:" + port;
    command.addAll(List.of("--backend=" + socket, "--frontend=" + frontend));
    command.addAll(List.of("--workers=" + spec.threads(), "--write-proxy-v2=on"));
    command.add("--alpn-protos=h2,http/1.1");
    if (Root.is()) {
      command.add("--user=nobody");
    }
    command.add(pem.toString());
    return command;
  }

  /** Certificate and key in one file. */
  static Path combined(TargetSpec spec, TargetSpec.Tls tls) throws IOException {
    Path pem = spec.directory().toAbsolutePath().resolve("both.pem");
    Files.deleteIfExists(pem);
    Files.createFile(
        pem, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(pem, Files.readString(tls.certificate()) + Files.readString(tls.key()));
    return pem;
  }

  private static boolean isCounting(String statistics) throws IOException {
    return !parse(statistics).path("MAIN.client_req").isMissingNode();
  }

  private static JsonNode parse(String statistics) throws IOException {
    try {
      JsonNode json = JsonMapper.shared().readTree(statistics);
      return json.has("counters") ? json.path("counters") : json;
    } catch (JacksonException e) {
      throw new IOException("the counters of Varnish are no JSON", e);
    }
  }

  /** Its hits include objects that are being fetched, for which a request waits. */
  static Counters counters(String statistics) throws IOException {
    JsonNode counts = parse(statistics);
    long fetched = 0;
    for (Map.Entry<String, JsonNode> entry : counts.properties()) {
      if (entry.getKey().startsWith("VBE.") && entry.getKey().endsWith(".beresp_bodybytes")) {
        fetched += entry.getValue().path("value").asLong();
      }
    }
    return new Counters(
        count(counts, "MAIN.client_req"),
        count(counts, "MAIN.cache_hit"),
        count(counts, "MAIN.s_resp_bodybytes"),
        fetched,
        Map.of());
  }

  private static long count(JsonNode counts, String name) throws IOException {
    JsonNode value = counts.path(name).path("value");
    if (!value.isNumber()) {
      throw new IOException("Varnish does not count " + name);
    }
    return value.asLong();
  }
}
