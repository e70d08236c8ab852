package io.forebay.benchmarks.micro;

import io.forebay.server.cluster.member.Fence;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A whole hit, from the bytes of a request to the bytes of the response: HTTP/1.1 decoding, request
 * checks, route, key, lookup, decision, head, and the body as a view of mapped memory. The
 * connection is kept alive and has no socket, so no system call is in the time; 1,000 objects are
 * asked for by Zipf's law. {@code harness} is what the channel without a socket costs by itself, to
 * be taken off.
 *
 * <p>The figure that matters beside the time is {@code gc.alloc.rate.norm}, the bytes allocated for
 * a request:
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar HotPathBenchmark -prof gc</pre>
 *
 * <p>What rules cost: {@code HotPathBenchmark.hit -p bodyBytes=1 -p ruledRoutes=0,1,10000}; with a
 * redirect map that has no entry for what is asked: {@code -p redirects=0,1,100000}; on a node of a
 * cluster: {@code -p isClustered=false,true}; with and without the request ring: {@code -p
 * ring=0,4MiB}.
 */
public class HotPathBenchmark extends Bench {
  private static final int OBJECTS = 1000;

  /** An edge that has all objects, and its client. */
  @State(Scope.Thread)
  public static class Warm {
    @Param({"1", "10240"})
    int bodyBytes;

    /** Routes with rules on headers beside the one that is asked; with any, that has rules too. */
    @Param("0")
    int ruledRoutes;

    /** Entries of a redirect map of the route that is asked. */
    @Param("0")
    int redirects;

    /** Whether the node is one of a cluster, whose proof that it knows all purges is recent. */
    @Param("false")
    boolean isClustered;

    /** Size of the request ring, 0 for none. */
    @Param("4MiB")
    String ring = "4MiB";

    private final byte[][] requests = new byte[OBJECTS][];
    private final ZipfDraw draw = new ZipfDraw(OBJECTS, 0.9);
    private @Nullable EmbeddedEdge edge;

    @Setup
    public void fill() {
      Path map = RedirectFiles.write(redirects);
      EmbeddedEdge opened =
          new EmbeddedEdge(
              bodyBytes,
              "access-log: {ring: " + ring + "}\n" + routes(map),
              isClustered ? proven() : null);
      boolean ignored = map.toFile().delete();
      edge = opened;
      for (int i = 0; i < OBJECTS; i++) {
        requests[i] = EmbeddedEdge.get("/objects/" + bodyBytes + "/" + i);
        String miss = opened.exchangeText(requests[i]);
        String hit = opened.exchangeText(requests[i]);
        boolean isRight =
            miss.startsWith("HTTP/1.1 200 ")
                && miss.contains("fwd=uri-miss")
                && hit.startsWith("HTTP/1.1 200 ")
                && hit.contains("; hit")
                && bodyLength(miss) == bodyBytes
                && bodyLength(hit) == bodyBytes;
        if (!isRight) {
          throw new IllegalStateException("first:\n" + miss + "\nsecond:\n" + hit);
        }
      }
    }

    private static Fence proven() {
      Fence fence = new Fence(CutOff.FENCE, Duration.ofDays(1));
      fence.extend(System.nanoTime());
      return fence;
    }

    private String routes(Path map) {
      if (redirects > 0) {
        return "routes: [{rules: [{redirect: {map: \"" + map + "\"}}]}]\n";
      }
      if (ruledRoutes == 0) {
        return "";
      }
      StringBuilder yaml =
          new StringBuilder(
              """
              rule-sets:
                all:
                  - {when: {header: {user-agent: "*bot*"}}, deny: 403}
                  - {when: {header: {accept: "image/*"}}, response-headers: {set: {x-image: "1"}}}
                  - {response-headers: {set: {x-frame-options: DENY}, remove: [x-powered-by]}}
              routes:
                - {rules: [{use: all}]}
              """);
      for (int i = 0; i < ruledRoutes; i++) {
        yaml.append("  - {match: {path: /r").append(i).append("/}, rules: [{use: all}]}\n");
      }
      return yaml.toString();
    }

    private static int bodyLength(String response) {
      return response.length() - response.indexOf("\r\n\r\n") - 4;
    }

    EmbeddedEdge edge() {
      if (edge == null) {
        throw new IllegalStateException("not open");
      }
      return edge;
    }

    byte[] nextRequest() {
      return requests[draw.next()];
    }

    @TearDown
    public void close() {
      if (edge != null) {
        edge.close();
      }
    }
  }

  /** A channel whose one handler answers any bytes with as many. */
  @State(Scope.Thread)
  public static class Bare {
    private final byte[] bytes = new byte[300];
    private final EmbeddedChannel channel =
        new EmbeddedChannel(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object message) {
                ReferenceCountUtil.release(message);
                ctx.write(
                    ctx.alloc().directBuffer(bytes.length).writeBytes(bytes), ctx.voidPromise());
              }

              @Override
              public void channelReadComplete(ChannelHandlerContext ctx) {
                ctx.flush();
              }
            });

    @Setup
    public void configure() {
      channel.config().setAllocator(PooledByteBufAllocator.DEFAULT);
    }
  }

  @Benchmark
  public long hit(Warm warm) {
    return warm.edge().exchange(warm.nextRequest());
  }

  @Benchmark
  public long harness(Bare bare) {
    return EmbeddedEdge.exchange(bare.channel, bare.bytes);
  }
}
