package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.forebay.lab.target.RunningTarget.Counters;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * What each program said after five requests for two objects of 100,000 bytes, recorded; and what
 * none says.
 */
class CountersTest {
  private static final List<String> WRONG = List.of("", "<html>", "{}", "{\"global\":{}}", "# a,b");

  private static String recorded(String file) throws IOException {
    try (InputStream input = CountersTest.class.getResourceAsStream(file)) {
      return new String(Objects.requireNonNull(input, file).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void nginx() throws IOException {
    String status =
        """
        Active connections: 2\s
        server accepts handled requests
         4 4 8\s
        Reading: 0 Writing: 1 Waiting: 1\s
        """;
    assertEquals(
        new Counters(5, 3, -1, 200_000, Map.of()),
        NginxTarget.counters(status, 3, new MissLog.Misses(2, 200_000)));
    for (String wrong : WRONG) {
      assertThrows(
          IOException.class, () -> NginxTarget.counters(wrong, 3, new MissLog.Misses(2, 200_000)));
    }
  }

  @Test
  void trafficServer() throws IOException {
    // Asked once before, which was answered with 34,974 bytes.
    StatusQuestions.Answer answer = new StatusQuestions.Answer(recorded("ats.json"), 1, 34_974);
    assertEquals(
        new Counters(5, 3, 500_000, 200_000, Map.of()), TrafficServerTarget.counters(answer));
    for (String wrong : WRONG) {
      assertThrows(
          IOException.class,
          () -> TrafficServerTarget.counters(new StatusQuestions.Answer(wrong, 0, 0)));
    }
  }

  @Test
  void varnish() throws IOException {
    assertEquals(
        new Counters(5, 3, 500_000, 200_000, Map.of()),
        VarnishTarget.counters(recorded("varnish.json")));
    for (String wrong : WRONG) {
      assertThrows(IOException.class, () -> VarnishTarget.counters(wrong));
    }
  }

  @Test
  void haproxyWithHeads() throws IOException {
    assertEquals(
        new Counters(5, 3, 500_732, 200_288, Map.of()),
        HaproxyTarget.counters(recorded("haproxy.csv")));
    for (String wrong : WRONG) {
      assertThrows(IOException.class, () -> HaproxyTarget.counters(wrong));
    }
  }

  @Test
  void forebayByTier() throws IOException {
    assertEquals(
        new Counters(5, 3, 500_000, 200_000, Map.of("memory", 300_000L), 2),
        ForebayStatus.counters(recorded("forebay.prom")));
    for (String wrong : WRONG) {
      assertThrows(IOException.class, () -> ForebayStatus.counters(wrong));
    }
  }

  @Test
  void forebayWithDisksTellsWhatTheyRead() throws IOException {
    String disks =
        """
        forebay_disk_read_bytes_total{store="disk-1"} 100000.0
        forebay_disk_read_bytes_total{store="disk-2"} 2.0E4
        """;
    assertEquals(
        Map.of("memory", 180_000L, "disk", 120_000L),
        ForebayStatus.counters(recorded("forebay.prom") + disks).bytesByTier());
  }

  @Test
  void whatForebayDidNotHaveToFetchIsAHit() throws IOException {
    String more =
        """
        forebay_requests_total{cache="joined",method_class="get",status_class="2xx"} 7.0
        forebay_requests_total{cache="stale",method_class="get",status_class="2xx"} 2.0
        forebay_requests_total{cache="revalidated",method_class="get",status_class="2xx"} 1.0
        """;
    Counters counters = ForebayStatus.counters(recorded("forebay.prom") + more);
    assertEquals(15, counters.requests());
    assertEquals(12, counters.hits());
  }

  @Test
  void aHitThatFetchedAPartOfItsBodyIsNone() throws IOException {
    String more =
        """
        forebay_requests_total{cache="joined",method_class="get",status_class="2xx"} 1.0
        forebay_partial_hits_total{cache="hit"} 2.0
        forebay_partial_hits_total{cache="joined"} 1.0
        forebay_remainders_fetched_total 3.0
        """;
    Counters counters = ForebayStatus.counters(recorded("forebay.prom") + more);
    assertEquals(6, counters.requests());
    assertEquals(1, counters.hits());
  }

  @Test
  void forebaysCurveIsInBytes() throws IOException {
    String statistics =
        """
        {"store":{"capacityBytes":1000,"estimates":{"sampledRatio":1.0,"sizes":[
         {"scale":0.5,"hitRatio":0.6,"byteHitRatio":0.5},
         {"scale":2.0,"hitRatio":0.9,"byteHitRatio":0.8}]}}}
        """;
    assertEquals(
        new MissRatioCurve(
            List.of(
                new MissRatioCurve.Point(500, 0.6, 0.5),
                new MissRatioCurve.Point(2_000, 0.9, 0.8))),
        ForebayStatus.curve(statistics));
    assertEquals(
        MissRatioCurve.NONE,
        ForebayStatus.curve("{\"store\":{\"capacityBytes\":1000,\"estimates\":{\"sizes\":[]}}}"));
    assertThrows(IOException.class, () -> ForebayStatus.curve("<html>"));
  }
}
