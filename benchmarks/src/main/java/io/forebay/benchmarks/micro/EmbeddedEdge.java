package io.forebay.benchmarks.micro;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.Scopes;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.deliver.Leases;
import io.forebay.server.deliver.PrivateCopies;
import io.forebay.server.exchange.LoopContext;
import io.forebay.server.exchange.LoopExchanges;
import io.forebay.server.exchange.LoopLoad;
import io.forebay.server.exchange.RequestIds;
import io.forebay.server.exchange.Snapshot;
import io.forebay.server.fill.FillHistory;
import io.forebay.server.fill.FillTable;
import io.forebay.server.listen.EmbeddedListener;
import io.forebay.server.metric.AccessLog;
import io.forebay.server.metric.LoopCounters;
import io.forebay.server.origin.OriginCall;
import io.forebay.server.origin.OriginClient;
import io.forebay.server.origin.OriginListener;
import io.forebay.server.origin.OriginRequest;
import io.forebay.server.tunnel.TunnelPlaces;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * One loop of an edge from request bytes to response bytes, everything real but the two sockets:
 * the client's is an {@link EmbeddedChannel}, the origin answers every request at once with a body
 * of one length. The thread that makes it is its loop.
 */
final class EmbeddedEdge implements AutoCloseable {
  private static final PooledByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

  private final BenchStore store = new BenchStore(256L << 20, 1, 0, 0, 8192);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LoopCounters counters = new LoopCounters();
  private final AccessLog accessLog;

  EmbeddedEdge(int bodyBytes) {
    channel.config().setAllocator(ALLOCATOR);
    ServerConfig config = config();
    try {
      accessLog = AccessLog.open(config.accessLog(), 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] secret = store.store().secret();
    EventLoop eventLoop = channel.eventLoop();
    LoopContext context =
        new LoopContext(
            0,
            eventLoop,
            store.lane(0),
            new KeyBuilder(secret),
            new Scopes(secret),
            new Leases(
                store.store(),
                store.lane(0),
                ALLOCATOR,
                new PrivateCopies(config.limits().privateCopyBytes()),
                counters,
                true),
            new InstantOrigin(eventLoop, bodyBytes),
            new LoopLoad(config.overload()),
            counters,
            accessLog.forLoop(0),
            store.store(),
            new FillTable(config.limits().fills()),
            FillHistory.ofKeys(1024),
            new TunnelPlaces(),
            1,
            new StoredMeta(),
            new byte[Snapshot.MAX_CACHE_STATUS_LENGTH],
            new RequestIds(0, 0),
            16 << 20,
            System::currentTimeMillis,
            new SplittableRandom(1)::nextDouble);
    Snapshot snapshot = Snapshot.of(config);
    EmbeddedListener.accept(
        channel,
        new LoopExchanges(context, () -> snapshot),
        counters,
        accessLog.forLoop(0),
        config);
    store.settle();
  }

  private static ServerConfig config() {
    ConfigEnvironment nothing =
        new ConfigEnvironment(
            Map.of(), Path.of("/nowhere"), Path.of("/nowhere"), Path.of("/"), Path.of("/"), "edge");
    Map<String, String> options =
        Map.of(
            "origin", "http://127.0.0.1:9",
            "store.data", "/nowhere",
            "limits.requests-per-connection", Integer.toString(Integer.MAX_VALUE));
    return switch (new ConfigLoader(nothing).load(null, options)) {
      case ConfigOutcome.Loaded loaded -> loaded.config();
      case ConfigOutcome.Refused refused ->
          throw new IllegalStateException(refused.problems().toString());
    };
  }

  /** A keep-alive GET as load generators send it. */
  static byte[] get(String path) {
    return ("GET " + path + " HTTP/1.1\r\nHost: edge.example.com\r\n\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Sends a request as one read from a socket; returns how many bytes were answered. */
  long exchange(byte[] request) {
    return exchange(channel, request);
  }

  /** The same on any channel. */
  static long exchange(EmbeddedChannel channel, byte[] request) {
    send(channel, request);
    long length = 0;
    while (true) {
      ByteBuf out = channel.readOutbound();
      if (out == null) {
        return length;
      }
      length += out.readableBytes();
      out.release();
    }
  }

  /** The answer as text. */
  String exchangeText(byte[] request) {
    send(channel, request);
    StringBuilder text = new StringBuilder();
    while (true) {
      ByteBuf out = channel.readOutbound();
      if (out == null) {
        return text.toString();
      }
      text.append(out.toString(StandardCharsets.ISO_8859_1));
      out.release();
    }
  }

  private static void send(EmbeddedChannel channel, byte[] request) {
    ByteBuf in = ALLOCATOR.directBuffer(request.length).writeBytes(request);
    channel.pipeline().fireChannelRead(in).fireChannelReadComplete();
    channel.runPendingTasks();
  }

  @Override
  public void close() {
    boolean hasMore = channel.finishAndReleaseAll();
    if (hasMore) {
      throw new IllegalStateException("answers were left unread");
    }
    accessLog.close();
    store.close();
  }

  /** Answers in the loop's next task, as if the bytes had been waiting. */
  private static final class InstantOrigin implements OriginClient {
    private final EventLoop eventLoop;
    private final byte[] body;
    private final HeaderFields fields;

    InstantOrigin(EventLoop eventLoop, int bodyBytes) {
      this.eventLoop = eventLoop;
      body = new byte[bodyBytes];
      new Random(1).nextBytes(body);
      fields =
          HeaderFields.of(
              "server", "origin",
              "content-type", "application/octet-stream",
              "cache-control", "public, max-age=86400",
              "etag", "\"65f0c8a2-2800\"",
              "last-modified", "Thu, 01 Jan 2026 00:00:00 GMT");
    }

    @Override
    public OriginCall send(String origin, OriginRequest request, OriginListener listener) {
      Call call = new Call();
      eventLoop.execute(() -> answer(call, listener));
      return call;
    }

    private void answer(Call call, OriginListener listener) {
      if (call.isCancelled) {
        return;
      }
      listener.onHead(200, fields, body.length, false);
      listener.onData(ALLOCATOR.directBuffer(body.length).writeBytes(body));
      listener.onReadComplete();
      listener.onEnd(HeaderFields.EMPTY);
    }
  }

  private static final class Call implements OriginCall {
    private boolean isCancelled;

    @Override
    public void suspend() {}

    @Override
    public void resume() {}

    @Override
    public void cancel() {
      isCancelled = true;
    }
  }
}
