package io.forebay.benchmarks.micro;

import io.forebay.core.http.WireRequest;
import io.forebay.core.route.Route;
import io.forebay.server.counters.Protocol;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.rule.RequestFacts;
import io.forebay.server.rule.RouteRules;
import io.forebay.server.rule.RuleOutcome;
import io.forebay.server.runtime.RuntimeConfig;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Finding the route of a request and asking its rules, as the fast lane does for each hit, by
 * routes times rules of each: 1, 100 or 10,000 rules in all. Each rule has a condition on a header
 * that the request has and that does not hold, and the last one of a route one that holds. All
 * rules of the request's route are asked, and no others.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar RuleBenchmark -prof gc</pre>
 */
public class RuleBenchmark extends Bench {
  private static final int REQUESTS = 256;
  private static final long NOW = 1_800_000_000_000L;

  /** A configuration, and requests for its routes. */
  @State(Scope.Thread)
  public static class Routes {
    @Param({"1x1", "1x100", "100x1", "100x100", "10000x1"})
    String shape = "1x1";

    private final WireRequest[] requests = new WireRequest[REQUESTS];
    private final RequestFacts facts = new RequestFacts();
    private final RuleOutcome outcome = new RuleOutcome();
    private final ClientInfo client =
        ClientInfo.of("127.0.0.1", 40_000, Protocol.HTTP_1_1, "http", 0, false, null);
    private @Nullable RuntimeConfig config;
    private int next;

    @Setup
    public void compile() {
      int routes = Integer.parseInt(shape.substring(0, shape.indexOf('x')));
      int rules = Integer.parseInt(shape.substring(shape.indexOf('x') + 1));
      StringBuilder yaml = new StringBuilder("rule-sets:\n  all:\n");
      for (int i = 1; i < rules; i++) {
        yaml.append("    - {when: {header: {user-agent: \"*bot")
            .append(i)
            .append("*\"}}, deny: 403}\n");
      }
      yaml.append("    - {when: {header: {user-agent: \"*X11*\"}}, ")
          .append("response-headers: {set: {x-frame-options: DENY}}}\nroutes:\n");
      for (int i = 0; i < routes; i++) {
        yaml.append("  - {match: {path: /r").append(i).append("/}, rules: [{use: all}]}\n");
      }
      config = RuntimeConfig.of(EmbeddedEdge.config(yaml.toString()));
      for (int i = 0; i < REQUESTS; i++) {
        byte[] head =
            ("GET /r"
                    + (int) ((long) i * routes / REQUESTS)
                    + "/index.html HTTP/1.1\r\nHost: edge.example.com\r\nAccept: */*\r\n"
                    + "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        requests[i] = new WireRequest("http");
        if (requests[i].read(head, 0, head.length, 8192, 64) != head.length || !match()) {
          throw new IllegalStateException("request " + i + " of " + shape);
        }
      }
    }

    /** Whether a hit may be answered by the fast lane. */
    boolean match() {
      RuntimeConfig compiled = config;
      if (compiled == null) {
        throw new IllegalStateException("not compiled");
      }
      WireRequest request = requests[next];
      next = (next + 1) % REQUESTS;
      Route route = compiled.routes().match(request.authority(), request.pathText());
      RouteRules rules = route == null ? null : compiled.rules(route);
      return rules != null
          && rules.ofFastLane(facts.ofFastLane(request, client, client.ip(), NOW), outcome);
    }
  }

  @Benchmark
  public boolean match(Routes routes) {
    return routes.match();
  }
}
