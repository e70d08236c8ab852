package io.forebay.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.load.LoadPlan.ObjectClass;
import io.forebay.lab.load.LoadPlan.Phase;
import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs of wrk 4.1.0 and of h2load of nghttp2 1.52.0, as they came. */
class ReportReadingTest {
  @TempDir Path directory;

  private static final String WRK =
      """
      Running 2s test @ http://127.0.0.1:18081/
        1 threads and 3 connections
        Thread Stats   Avg      Stdev     Max   +/- Stdev
          Latency    14.77ms   25.54ms 129.26ms   85.65%
          Req/Sec   444.53    430.78     1.68k    88.24%
        850 requests in 2.11s, 608.66MB read
        Non-2xx or 3xx responses: 173
      Requests/sec:    403.65
      Transfer/sec:    289.04MB
      forebay duration 2105794.000
      forebay requests 850.000
      forebay bytes 638227664.000
      forebay connect 0.000
      forebay read 0.000
      forebay write 0.000
      forebay status 173.000
      forebay timeout 0.000
      forebay issued 851.000
      forebay asked 640000531.000
      forebay mean 14773.097
      forebay p50 2072.000
      forebay p99 112427.000
      forebay p999 128868.000
      forebay max 129256.000
      """;

  private static final String H2LOAD =
      """
      starting benchmark...
      spawning thread #0: 3 total client(s). Timing-based test with 0s of warm-up time and 2s of \
      main duration for measurements.
      Warm-up started for thread #0.
      progress: 33% of clients started
      progress: 66% of clients started
      progress: 100% of clients started
      Warm-up phase is over for thread #0.
      Main benchmark duration is started for thread #0.
      TLS Protocol: TLSv1.2
      Cipher: ECDHE-ECDSA-AES128-GCM-SHA256
      Server Temp Key: X25519 253 bits
      Application protocol: h2
      Main benchmark duration is over for thread #0. Stopping all clients.
      Stopped all clients for thread #0

      finished in 2.03s, 250.50 req/s, 159.48MB/s
      requests: 501 total, 507 started, 501 done, 334 succeeded, 167 failed, 0 errored, 0 timeout
      status codes: 334 2xx, 0 3xx, 0 4xx, 167 5xx
      traffic: 318.96MB (334454220) total, 44.20KB (45257) headers (space savings 40.83%), \
      318.56MB (334033066) data
                           min         max         mean         sd        +/- sd
      time for request:       82us     70.37ms     17.93ms     12.50ms    69.06%
      time for connect:     8.58ms     14.65ms     10.84ms      3.32ms    66.67%
      time to 1st byte:    15.23ms     44.72ms     34.42ms     16.64ms    66.67%
      req/s           :      75.38       87.21       82.28        6.16    66.67%
      """;

  private static final String H2LOAD_LOG =
      """
      1795740249524892\t200\t498
      1795740249525355\t200\t28122
      1795740249525355\t503\t29483
      1795740249525340\t-1\t29543
      1795740249525340\t200\t36740\tand more
      """;

  private static ClosedLoop loop(ObjectClass... objects) {
    return ClosedLoop.of(
        Plans.to("http://127.0.0.1:80")
            .connections(3)
            .objects(objects)
            .phases(new Phase(0.5, 0, 0, false), new Phase(2, 0, 0, true))
            .plan(),
        "wrk");
  }

  @Test
  void wrksOutcomeIsRead() throws IOException {
    ClosedLoop loop =
        loop(new ObjectClass("a", 1, 1, 8, "/a"), new ObjectClass("b", 1_000_000, 1, 8, "/b"));
    String withErrors =
        WRK.replace("read 0.000", "read 2.000")
            .replace("write 0.000", "write 1.000")
            .replace("timeout 0.000", "timeout 3.000");
    LoadTotals totals = WrkReport.read(withErrors).totals(loop, Duration.ofMillis(500));

    assertEquals(1, loop.warmUpSeconds());
    assertEquals(2.105794, totals.seconds(), 1e-9);
    assertEquals(677, totals.requests());
    // 638,227,664 with heads and the bodies of errors.
    assertEquals(638_227_664, totals.bodyBytes());
    assertEquals(Map.of("reset", 3L, "status", 173L, "timeout", 3L), totals.errors());
    assertEquals(new Latency(850, 14.773097, 2.072, 112.427, 128.868, 129.256), totals.lastByte());
    assertEquals(Latency.NONE, totals.firstByte());
    assertEquals(3, totals.connections());
    assertEquals(0.24, totals.clientCores(), 0.01);
    assertEquals(Map.of(), totals.byObject());
  }

  @Test
  void whatWrkDoesNotTellOrTellsOtherwiseIsAnErrorThatShowsIt() {
    for (String wrong :
        new String[] {
          WRK.replace("forebay p999 128868.000\n", ""),
          WRK.replace("forebay issued 851.000", "forebay issued nil"),
          WRK.replace("forebay issued 851.000", "forebay issued -1"),
          WRK.replace("forebay issued 851.000", "forebay issued 1 2"),
          WRK + "forebay issued 851.000\n",
          "wrk: unable to connect"
        }) {
      String message =
          String.valueOf(
              assertThrows(IOException.class, () -> WrkReport.read(wrong), wrong).getMessage());
      assertTrue(message.contains("issued") || message.contains(wrong), message);
    }
  }

  @Test
  void h2loadsOutcomeIsRead() throws IOException {
    Path log = directory.resolve("log");
    Files.writeString(log, H2LOAD_LOG);
    LoadTotals totals =
        H2loadReport.read(H2LOAD, log)
            .totals(loop(new ObjectClass("a", 1, 1, 8, "/a")), Duration.ofSeconds(1));

    assertEquals(2, totals.seconds());
    assertEquals(334, totals.requests());
    assertEquals(334033066, totals.bodyBytes());
    assertEquals(Map.of("status", 167L), totals.errors());
    assertEquals(3, totals.lastByte().count());
    assertEquals(36.74, totals.lastByte().max(), 0.04);
    assertEquals(totals.lastByte(), totals.byObject().get("a"));
    assertEquals(0.5, totals.clientCores(), 0.01);
  }

  @Test
  void whatH2loadTellsOtherwiseIsAnErrorThatShowsIt() throws IOException {
    Path log = directory.resolve("log");
    Files.writeString(log, H2LOAD_LOG);
    for (String wrong :
        new String[] {
          H2LOAD.replace("finished in 2.03s", "finished within 2.03s"),
          H2LOAD.replace("0 errored", "0 wrong"),
          H2LOAD.replace("334 2xx", "334 good"),
          H2LOAD.replace("(334033066) data", "data"),
          H2LOAD.replace("507 started", "0 started")
        }) {
      String message =
          String.valueOf(
              assertThrows(IOException.class, () -> H2loadReport.read(wrong, log), wrong)
                  .getMessage());
      assertTrue(message.contains(wrong), message);
    }
    Files.writeString(log, "1795740249524892 200 498\n");
    assertThrows(IOException.class, () -> H2loadReport.read(H2LOAD, log));
  }

  @Test
  void theScriptOfWrkHasThePlan() {
    String script =
        WrkScript.of(
            Plans.to("http://a.example:80", "http://b.example:81")
                .fresh(0.25)
                .objects(
                    new ObjectClass("a", 7, 1, 8, "/{n}/\"\\{n}.x"),
                    new ObjectClass("b", 9, 2.5, 10_000_000_000L, "/o/{bytes}/{n}"))
                .plan(),
            2,
            Instant.parse("2026-01-01T00:00:05Z"));

    for (String line :
        new String[] {
          "seed = 7",
          "stride = 2",
          "freshShare = 0.250000000",
          "freshBase = 5 * 2^23",
          "popularity = \"UNIFORM\"",
          "targets = {{host = \"a.example\", port = \"80\"}, {host = \"b.example\", port = \"81\"}}",
          "  {weight = 1.000000000, bytes = 7, count = 8, parts = {\"/\", \"/\\\"\\\\\", \".x\"}},",
          "  {weight = 3.500000000, bytes = 9, count = 10000000000, parts = {\"/o/9/\", \"\"}},"
        }) {
      assertTrue(script.lines().anyMatch(line::equals), line + "\n" + script);
    }
  }
}
