package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the lab writes for each program. */
class ConfigurationTest {
  private static final Path MEMORY = Path.of("/dev/shm/forebay-lab-1");
  private static final Path DATA = Path.of("/lab/t/forebay-lab-2");
  private static final List<Path> DISKS = List.of(Path.of("/mnt/a/lab"), Path.of("/mnt/b/lab"));
  private static final TargetSpec.Tls TLS =
      new TargetSpec.Tls(
          Path.of("/lab/server.pem"), Path.of("/lab/server.key"), Path.of("/lab/ca"));

  private static TargetSpec spec(
      long disk, int loops, TargetSpec.@Nullable Tls tls, boolean http3) {
    return spec(1L << 30, disk, loops, tls, http3);
  }

  private static TargetSpec spec(
      long memory, long disk, int loops, TargetSpec.@Nullable Tls tls, boolean http3) {
    return new TargetSpec(
        Path.of("/lab/t"),
        URI.create("http://127.0.0.1:9000"),
        memory,
        disk,
        loops,
        null,
        -1,
        tls,
        http3);
  }

  private static void assertLines(String text, String... lines) {
    List<String> all = text.lines().map(String::strip).toList();
    for (String line : lines) {
      assertTrue(all.contains(line), () -> "no line '" + line + "' in\n" + text);
    }
  }

  @Test
  void forebayInMemory() {
    assertEquals(
        """
        listen:
          - name: lab
            address: "127.0.0.1:1"
        admin: {address: "127.0.0.1:2"}
        store:
          data: "/lab/t/forebay-lab-2"
          memory: 1073741824
          memory-directory: "/dev/shm/forebay-lab-1"
          disk-stop-limit: 0s
        origins:
          lab: {url: "http://127.0.0.1:9000", max-connections: 4096}
        limits: {connections-per-address: 0, waiting-per-client: 0, fetches-per-client: 0}
        timeouts: {drain: 0s}
        """,
        ForebayTarget.config(spec(0, 0, null, false), 1, 2, DATA, MEMORY, List.of()));
  }

  @Test
  void forebayWithEverything() {
    assertLines(
        ForebayTarget.config(spec(4_000, 2, TLS, true), 1, 2, DATA, MEMORY, DISKS),
        "tls: {certificate: \"/lab/server.pem\", key: \"/lab/server.key\"}",
        "http3: {listeners: [lab]}",
        "threads: {loops: 2}",
        "disk-1: {path: \"/mnt/a/lab\", size: 2000}",
        "disk-2: {path: \"/mnt/b/lab\", size: 2000}");
  }

  @Test
  void nginxInMemory() {
    String text = NginxTarget.config(spec(0, 2, null, false), 1, 2, List.of(MEMORY), 20_000);
    assertLines(
        text,
        "worker_processes 2;",
        "worker_rlimit_nofile 20000;",
        "access_log /lab/t/missed.log missed if=$lab_missed;",
        "proxy_cache_path /dev/shm/forebay-lab-1 levels=1:2 keys_zone=disk1:128m"
            + " max_size=1073741824 inactive=24h use_temp_path=off manager_files=2000;",
        "listen 127.0.0.1:1 backlog=4096 reuseport;",
        "listen 127.0.0.1:2;",
        "upstream origin { server 127.0.0.1:9000; keepalive 256; }",
        "proxy_cache disk1;",
        "proxy_cache_lock on;");
    assertFalse(text.contains("ssl"));
  }

  @Test
  void nginxOnDisksOverTls() {
    assertLines(
        NginxTarget.config(spec(4_000, 1, TLS, false), 1, 2, DISKS, 20_000),
        "listen 127.0.0.1:1 ssl http2 backlog=4096;",
        "ssl_certificate /lab/server.pem;",
        "ssl_certificate_key /lab/server.key;",
        "proxy_cache_path /mnt/b/lab levels=1:2 keys_zone=disk2:64m max_size=2000 inactive=24h"
            + " use_temp_path=off manager_files=2000;",
        "split_clients $uri$is_args$args $disk { 50.00% disk1; * disk2; }",
        "proxy_cache $disk;");
  }

  @Test
  void trafficServer() {
    assertLines(
        TrafficServerTarget.records(spec(0, 2, null, false), 1, 1),
        "CONFIG proxy.config.http.server_ports STRING 1:ip-in=127.0.0.1",
        "CONFIG proxy.config.exec_thread.limit INT 2",
        "CONFIG proxy.config.cache.ram_cache.size INT 1073741824",
        "CONFIG proxy.config.admin.user_id STRING #-1");
    assertLines(
        TrafficServerTarget.records(spec(0, 2, TLS, false), 1, 2),
        "CONFIG proxy.config.http.server_ports STRING 2:ip-in=127.0.0.1 1:ssl:ip-in=127.0.0.1");
    assertEquals(
        "/dev/shm/forebay-lab-1 1073741824\n",
        TrafficServerTarget.storage(spec(0, 1, null, false), List.of(MEMORY)));
    assertEquals(
        "/mnt/a/lab 2000\n/mnt/b/lab 2000\n",
        TrafficServerTarget.storage(spec(4_000, 1, null, false), DISKS));
  }

  @Test
  void varnish() {
    assertEquals(
        """
        vcl 4.1;
        backend default { .host = "127.0.0.1"; .port = "9000"; }
        sub vcl_recv { unset req.http.Cookie; }
        """,
        VarnishTarget.vcl(spec(0, 1, null, false)));
    Path socket = MEMORY.resolve("front");
    Path vcl = Path.of("/lab/t/lab.vcl");
    String inMemory =
        String.join(
            " ",
            VarnishTarget.arguments(spec(0, 1, null, false), 1, MEMORY, socket, vcl, List.of()));
    assertTrue(
        inMemory.startsWith(
            "-F -j none -n /dev/shm/forebay-lab-1/varnish -a 127.0.0.1:1 -f /lab/t/lab.vcl"
                + " -s memory=malloc,1073741824 -p thread_pools=1"),
        inMemory);
    String onDisks =
        String.join(
            " ",
            VarnishTarget.arguments(spec(4_000, 8, TLS, false), 1, MEMORY, socket, vcl, DISKS));
    assertTrue(onDisks.contains("-a /dev/shm/forebay-lab-1/front,PROXY,mode=666"), onDisks);
    assertTrue(
        onDisks.contains(
            "-s disk1=file,/mnt/a/lab/storage,2000 -s disk2=file,/mnt/b/lab/storage,2000"
                + " -p thread_pools=4"),
        onDisks);
  }

  @Test
  void clientsConnectToTheAddressOfHostsWhereTheLabAsksOnLoopback() {
    TargetSpec plain = spec(0, 2, null, false).withAddress(InetAddress.ofLiteral("10.0.0.1"));
    TargetSpec tls = spec(0, 2, TLS, false).withAddress(InetAddress.ofLiteral("::1"));
    assertLines(
        ForebayTarget.config(plain, 1, 2, DATA, MEMORY, List.of()),
        "address: \"10.0.0.1:1\"",
        "admin: {address: \"127.0.0.1:2\"}");
    assertLines(
        NginxTarget.config(plain, 1, 2, List.of(MEMORY), 20_000),
        "listen 10.0.0.1:1 backlog=4096 reuseport;",
        "listen 127.0.0.1:2;");
    assertLines(
        TrafficServerTarget.records(plain, 1, 2),
        "CONFIG proxy.config.http.server_ports STRING 2:ip-in=127.0.0.1 1:ip-in=10.0.0.1");
    assertLines(
        TrafficServerTarget.records(tls, 1, 2),
        "CONFIG proxy.config.http.server_ports STRING 2:ip-in=127.0.0.1"
            + " 1:ssl:ipv6:ip-in=[0:0:0:0:0:0:0:1]");
    assertTrue(
        VarnishTarget.arguments(plain, 1, MEMORY, MEMORY, MEMORY, List.of())
            .contains("10.0.0.1:1"));
    assertLines(HaproxyTarget.config(tls, 1, MEMORY, null, 20_000), "bind [0:0:0:0:0:0:0:1]:1");
    assertEquals(URI.create("https://[0:0:0:0:0:0:0:1]:443"), StartedTarget.address(tls, 443));
  }

  @Test
  void haproxyTakesNoMoreThanItsCacheCan() {
    Path socket = MEMORY.resolve("stats");
    assertLines(
        HaproxyTarget.config(spec(0, 2, null, false), 1, socket, null, 20_000),
        "nbthread 2",
        "maxconn 9800",
        "stats socket /dev/shm/forebay-lab-1/stats mode 600 level user",
        "total-max-size 1024",
        "max-object-size 536870912",
        "bind 127.0.0.1:1",
        "server origin 127.0.0.1:9000");
    TargetSpec large = spec(1L << 40, 0, 1, TLS, false);
    assertLines(
        HaproxyTarget.config(large, 1, socket, Path.of("/lab/t/both.pem"), 20_000),
        "total-max-size 4095",
        "bind 127.0.0.1:1 ssl crt /lab/t/both.pem alpn h2,http/1.1 ssl-min-ver TLSv1.2");
  }
}
