package io.forebay.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.load.LoadPlan.ObjectClass;
import io.forebay.lab.load.LoadPlan.Phase;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MeasuredTest {

  @Test
  void outcomesOfManyClientsAddUpToWhatOneWouldHaveMeasured() {
    List<String> names = List.of("small", "large");
    Measured whole = new Measured(names);
    Measured sum = new Measured(names);
    SplittableRandom random = new SplittableRandom(Plans.SEED);
    for (int client = 0; client < 3; client++) {
      Measured part = new Measured(names);
      for (int i = 0; i < 1000; i++) {
        long first = random.nextLong(5_000_000L << (client * 4));
        long last = first + random.nextLong(40_000_000_000L);
        int object = random.nextInt(2);
        for (Measured one : List.of(part, whole)) {
          one.request();
          one.bytes(i);
          one.times(object, first, last);
          one.lateness(first / 10);
          if (i % 100 == 0) {
            one.error(ErrorKind.STATUS);
            one.connection(i % 200 == 0);
          }
        }
      }
      part.took(10, 0.5);
      ClientLines.End end = ClientLines.fromClient(ClientLines.end(part)).end();
      if (end == null) {
        throw new AssertionError();
      }
      sum.add(end.totals(), end.histograms());
    }
    whole.took(10, 1.5);

    assertEquals(whole.totals(), sum.totals());
    assertEquals(3000, sum.totals().lastByte().count());
    assertEquals(30L, sum.totals().errors().get("status"));
    assertEquals(15, sum.totals().resumed());
  }

  @Test
  void timesAreWithinAThousandth() {
    LatencyHistogram histogram = new LatencyHistogram();
    for (int i = 1; i <= 10_000; i++) {
      histogram.record(i * 10_000L);
    }

    assertEquals(50, histogram.latency().p50(), 0.1);
    assertEquals(99, histogram.latency().p99(), 0.2);
    assertEquals(99.9, histogram.latency().p999(), 0.2);
    assertEquals(100, histogram.latency().max(), 0.2);
    assertEquals(50, histogram.latency().mean(), 0.1);
    histogram.record(-5);
    histogram.record(Long.MAX_VALUE);
    assertEquals(3_600_000, histogram.latency().max(), 4_000);
  }

  @Test
  void whatIsNoHistogramIsRefused() {
    for (String wrong : new String[] {"", "!", "AAAA", "HISTFAAAAAEAAAA"}) {
      assertThrows(IllegalArgumentException.class, () -> LatencyHistogram.decoded(wrong), wrong);
    }
    assertThrows(IllegalArgumentException.class, () -> ClientLines.fromClient("{\"later\":1}"));
    assertThrows(IllegalArgumentException.class, () -> ClientLines.start("{}"));
    assertThrows(IllegalArgumentException.class, () -> ClientLines.plan("{}"));
  }

  @Test
  void aPlanTravelsAsALine() {
    LoadPlan plan = Plans.to("https://a.example:443").fresh(0.25).plan();

    assertEquals(plan, ClientLines.plan(ClientLines.plan(plan)));
    assertTrue(ClientLines.plan(plan).indexOf('\n') < 0);
  }

  @Test
  void clientsShareConnectionsAndRates() {
    LoadPlan plan =
        Plans.to("http://a.example:80").connections(10).phases(new Phase(1, 90, 30, true)).plan();

    assertEquals(4, plan.part(0, 3).connections());
    assertEquals(3, plan.part(1, 3).connections());
    assertEquals(3, plan.part(2, 3).connections());
    assertEquals(List.of(new Phase(1, 30, 10, true)), plan.part(1, 3).phases());
  }

  @Test
  void aPlanThatCannotBeRunSaysWhy() {
    for (Plans plans :
        List.of(
            Plans.to(),
            Plans.to("ftp://a.example:21"),
            Plans.to("http://a.example"),
            Plans.to("http://a.example:80").protocol(LoadPlan.Protocol.HTTP3, null),
            Plans.to("http://a.example:80").connections(0),
            Plans.to("http://a.example:80").fresh(1.5),
            Plans.to("http://a.example:80").phases(),
            Plans.to("http://a.example:80").phases(new Phase(0, 1, 1, true)),
            Plans.to("http://a.example:80").phases(new Phase(1, -1, 1, true)),
            Plans.to("http://a.example:80").objects(),
            Plans.to("http://a.example:80").objects(new ObjectClass("x", 1, 0, 1, "/")),
            Plans.to("http://a.example:80").objects(new ObjectClass("x", 1, 1, 1, "/a b")))) {
      assertThrows(IllegalArgumentException.class, () -> plans.plan().checked());
    }
  }
}
