package io.forebay.benchmarks.micro;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.ServePlan;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The rules on the way of a hit: finding the route, laying {@link StoredMeta} over the stored
 * bytes, deciding, planning the answer; and of a miss: judging whether the response may be stored.
 * The metadata of 10,000 objects lies in off-heap memory 4 KiB apart, as in a region of small
 * objects, and is drawn by Zipf's law, so that it is not always in the first cache.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar PolicyBenchmark -prof gc</pre>
 */
public class PolicyBenchmark extends Bench {

  private static final int OBJECTS = 10_000;
  private static final long STRIDE = 4096;
  private static final long BODY_LENGTH = 10_240;
  private static final long NOW = 1_767_225_600_000L;
  private static final Route ROUTE = Route.toOrigin("default");

  private static final HeaderFields RESPONSE =
      HeaderFields.of(
          "date",
          HttpDate.format(NOW),
          "content-type",
          "video/iso.segment",
          "content-length",
          Long.toString(BODY_LENGTH),
          "cache-control",
          "public, max-age=86400, stale-while-revalidate=60",
          "etag",
          "\"65f0c8a2-2800\"",
          "last-modified",
          HttpDate.format(NOW - 86_400_000));

  /** What is stored and what is asked. */
  @State(Scope.Thread)
  public static class Stored {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(OBJECTS * STRIDE, STRIDE);
    private final ZipfDraw draw = new ZipfDraw(OBJECTS, 0.9);
    private final StoredMeta meta = new StoredMeta();
    private final SyntheticRequest plain = Requests.segment(1);
    private final SyntheticRequest conditional =
        SyntheticRequest.of("GET", "http://example.com/", "if-none-match", "\"65f0c8a2-2800\"");

    @Setup
    public void store() {
      if (!(ResponsePolicy.judge(plain, ROUTE, 200, RESPONSE, NOW - 20, NOW)
          instanceof StoreVerdict.Store verdict)) {
        throw new IllegalStateException("the response is not stored");
      }
      byte[] record = verdict.meta();
      for (int i = 0; i < OBJECTS; i++) {
        MemorySegment.copy(MemorySegment.ofArray(record), 0, memory, i * STRIDE, record.length);
      }
    }

    @TearDown
    public void close() {
      arena.close();
    }

    StoredMeta next() {
      if (!meta.wrap(memory, draw.next() * STRIDE)) {
        throw new IllegalStateException("no record");
      }
      return meta;
    }
  }

  /**
   * A configuration with one route for all, or with many, a tenth of them for the host asked for.
   */
  @State(Scope.Thread)
  public static class Routes {
    @Param({"1", "100", "1000"})
    int count;

    private RouteTable table = new RouteTable(List.of(ROUTE));
    private final SyntheticRequest[] requests = Requests.segments(1000);
    private final ZipfDraw draw = new ZipfDraw(requests.length, 0.9);

    @Setup
    public void fill() {
      List<Route> routes = new ArrayList<>(List.of(ROUTE));
      for (int i = 1; i < count; i++) {
        String host = i % 10 == 0 ? "video.example.com" : "host" + i % 100 + ".example.com";
        routes.add(
            new Route(
                "r" + i,
                host,
                "/live/channel-" + i + "/",
                "o",
                ROUTE.keyRecipe(),
                ROUTE.settings()));
      }
      table = new RouteTable(routes);
    }
  }

  /** The route of a request. */
  @Benchmark
  public @Nullable Route route(Routes routes) {
    SyntheticRequest request = routes.requests[routes.draw.next()];
    return routes.table.match(request.authority(), request.path());
  }

  /** Laying the metadata over stored bytes, checks included. */
  @Benchmark
  public StoredMeta wrap(Stored stored) {
    return stored.next();
  }

  /** What every plain fresh hit costs: lay over, decide, plan. */
  @Benchmark
  public ServePlan freshHit(Stored stored) {
    StoredMeta meta = stored.next();
    Decision decision = Decider.decide(stored.plain, ROUTE, meta, false, NOW + 3_600_000);
    return decision instanceof Decision.Serve
        ? ServePlan.of(stored.plain, meta, BODY_LENGTH, 16)
        : ServePlan.UNSATISFIABLE;
  }

  /** A fresh hit that is answered by 304. */
  @Benchmark
  public ServePlan conditionalHit(Stored stored) {
    StoredMeta meta = stored.next();
    Decision decision = Decider.decide(stored.conditional, ROUTE, meta, false, NOW + 3_600_000);
    return decision instanceof Decision.Serve
        ? ServePlan.of(stored.conditional, meta, BODY_LENGTH, 16)
        : ServePlan.UNSATISFIABLE;
  }

  /** Whether a response may be stored, and its metadata. */
  @Benchmark
  public StoreVerdict judgeResponse(Stored stored) {
    return ResponsePolicy.judge(stored.plain, ROUTE, 200, RESPONSE, NOW - 20, NOW);
  }
}
