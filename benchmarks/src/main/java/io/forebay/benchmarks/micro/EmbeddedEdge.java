package io.forebay.benchmarks.micro;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.Scopes;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.accesslog.RequestLog;
import io.forebay.server.accesslog.RequestLogs;
import io.forebay.server.cluster.member.Fence;
import io.forebay.server.compress.Compressors;
import io.forebay.server.compress.copy.CopyMaker;
import io.forebay.server.compress.copy.CopyRegistry;
import io.forebay.server.compress.dictionary.Dictionaries;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.deliver.CopyQuota;
import io.forebay.server.deliver.Leases;
import io.forebay.server.digest.DigestContext;
import io.forebay.server.exchange.ExchangeContext;
import io.forebay.server.exchange.ExchangeFactory;
import io.forebay.server.exchange.FailureLog;
import io.forebay.server.fairness.ClientLimiter;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.FillTable;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.http.ChallengeTokens;
import io.forebay.server.listen.EmbeddedListener;
import io.forebay.server.loop.LoopLoad;
import io.forebay.server.loop.RequestIds;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.prefetch.PrefetchBudget;
import io.forebay.server.protect.Gatekeeper;
import io.forebay.server.protect.Verifiers;
import io.forebay.server.protect.forward.ForwardAuth;
import io.forebay.server.protect.forward.ForwardVerdicts;
import io.forebay.server.protect.rate.RateBuckets;
import io.forebay.server.purge.PurgeQueue;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.ring.RingFiles;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.server.tunnel.TunnelLimiter;
import io.forebay.storage.file.DefaultMemoryDirectory;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeReceipt;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One loop of an edge from request bytes to response bytes, everything real but the two sockets:
 * the client's is an {@link EmbeddedChannel}, the origin answers every request at once. The thread
 * that makes it is its loop.
 */
final class EmbeddedEdge implements AutoCloseable {
  /** So small that a body of 100 kB comes in slices. */
  static final int REGION_BYTES = 1 << 20;

  private static final long MAX_ANSWER_NANOS = 20_000_000_000L;

  private static final PooledByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

  /** What the origin says. */
  interface Origin {
    Answer to(OriginRequest request);
  }

  /** One of its answers. */
  @SuppressWarnings("ArrayRecordComponent")
  record Answer(int status, HeaderFields fields, byte[] body) {}

  private final BenchStore store;
  private final boolean isStoreOwn;
  private final EmbeddedChannel loopChannel = new EmbeddedChannel();
  private final LoopCounters counters = new LoopCounters();
  private final AccessLog accessLog;

  /** Of the request ring, removed at the end. */
  private final Path ringDirectory;

  private final RingFiles rings;
  private final QueueExecutor codingAnswers = new QueueExecutor();
  private final Compressors compressors = new Compressors(1, 0, ALLOCATOR);
  private final CopyRegistry copies;
  private final EmbeddedListener listener;
  private final KeyBuilder keys;
  private final Scopes scopes;
  private EmbeddedChannel channel;

  /** An edge whose origin has bodies of one length. */
  EmbeddedEdge(int bodyBytes) {
    this(bodyBytes, "", null);
  }

  /**
   * The same with routes.
   *
   * @param fence of a node of a cluster, or null
   */
  EmbeddedEdge(int bodyBytes, String routes, @Nullable Fence fence) {
    this(
        constant(bodyBytes),
        routes,
        new BenchStore(256L << 20, 1, REGION_BYTES, 0, 0, System::currentTimeMillis),
        0,
        true,
        System::currentTimeMillis,
        fence);
  }

  /**
   * An edge.
   *
   * @param routes what its configuration says of routes, in YAML, or nothing
   * @param memoryBytes what its store has
   */
  EmbeddedEdge(Origin origin, String routes, long memoryBytes, LongSupplier clockMillis) {
    this(
        origin,
        routes,
        new BenchStore(memoryBytes, 1, REGION_BYTES, 0, 0, clockMillis),
        0,
        true,
        clockMillis,
        null);
  }

  /** One of several loops on a store that the caller closes, after them. */
  EmbeddedEdge(Origin origin, BenchStore shared, int lane) {
    this(origin, "", shared, lane, false, System::currentTimeMillis, null);
  }

  private EmbeddedEdge(
      Origin origin,
      String routes,
      BenchStore store,
      int lane,
      boolean isStoreOwn,
      LongSupplier clockMillis,
      @Nullable Fence fence) {
    this.store = store;
    this.isStoreOwn = isStoreOwn;
    ServerConfig config = config(routes);
    try {
      accessLog = AccessLog.open(config.accessLog(), 1);
      ringDirectory = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-bench-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    rings = RingFiles.open(ringDirectory, 1, config.accessLog().ringBytes(), clockMillis);
    RequestLog requestLog =
        new RequestLogs(accessLog, rings, config.accessLog().lines(), 1).forLoop(0);
    // Not the store's own, which is drawn: what tables of keys forget is the same in all edges.
    byte[] secret = new byte[store.store().secret().length];
    EventLoop eventLoop = loopChannel.eventLoop();
    copies = new CopyRegistry(clockMillis.getAsLong());
    RuntimeConfig snapshot = RuntimeConfig.of(config);
    keys = new KeyBuilder(secret);
    scopes = new Scopes(secret);
    FillContext filling =
        new FillContext(
            lane,
            eventLoop,
            store.lane(lane),
            keys,
            scopes,
            new InstantOrigin(eventLoop, origin),
            counters,
            store.store(),
            new FillTable(config.limits().fills(), config.limits().refusedLoads()),
            FillHistory.ofKeys(1 << 16),
            1,
            new StoredMeta(),
            16 << 20,
            clockMillis,
            route -> snapshot.compression(route),
            DigestContext.OFF,
            null);
    ExchangeContext context =
        new ExchangeContext(
            filling,
            new Leases(
                store.store(),
                store.lane(lane),
                ALLOCATOR,
                new CopyQuota(config.limits().privateCopyBytes()),
                counters,
                true),
            new LoopLoad(config.overload()),
            requestLog,
            new TunnelLimiter(),
            new ClientLimiter(),
            new PurgeQueue(orders -> {
              throw new PurgeRefusedException(
                  "no purges in a benchmark", PurgeRefusedException.Refusal.ORDER);
            }),
            new HeadWriter(RuntimeConfig.MAX_CACHE_STATUS_LENGTH),
            new RequestIds(0, 0),
            new FailureLog(clockMillis),
            new Gatekeeper(
                counters,
                new RateBuckets(System::nanoTime),
                new Verifiers(1, config.store().data(), clockMillis, System::nanoTime),
                new ForwardAuth(
                    new ForwardVerdicts(System::nanoTime),
                    new InstantOrigin(eventLoop, origin),
                    eventLoop),
                clockMillis),
            new SplittableRandom(1)::nextDouble,
            new CopyMaker(filling, codingAnswers, compressors, copies),
            new ChallengeTokens(),
            compressors,
            new Dictionaries(filling, codingAnswers, compressors, copies),
            new PrefetchBudget(),
            fence,
            null);
    listener =
        new EmbeddedListener(
            eventLoop,
            new ExchangeFactory(context, () -> snapshot),
            counters,
            requestLog,
            config,
            clockMillis);
    channel = accepted();
    store.settle();
  }

  private EmbeddedChannel accepted() {
    EmbeddedChannel connected = unconnected();
    listener.accept(connected);
    return connected;
  }

  /** One more connection, whose client has to begin with HTTP/2's preface. The caller ends it. */
  EmbeddedChannel acceptedHttp2() {
    EmbeddedChannel connected = unconnected();
    listener.acceptHttp2(connected);
    return connected;
  }

  private static EmbeddedChannel unconnected() {
    EmbeddedChannel connected = new EmbeddedChannel();
    connected.config().setAllocator(ALLOCATOR);
    return connected;
  }

  /** Goes on with a new connection. */
  void reconnect() {
    channel.finishAndReleaseAll();
    channel = accepted();
  }

  /** Lets the store do what there is to do: nothing else makes room in it. */
  void settle() {
    store.settle();
  }

  /** Purges what is stored of a URL. */
  void purge(String url, boolean isSoft) {
    try {
      PurgeReceipt ignored =
          store.store().purge(new Purge(PurgeKind.URL, scopes.exact(url), isSoft, url));
    } catch (PurgeFailedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The key that was built last. */
  String lastKey() {
    return keys.toString();
  }

  /** Waits until no coded copy is being made. */
  void awaitCopies() {
    while (copies.active() > 0) {
      codingAnswers.runTasks();
      Thread.onSpinWait();
    }
  }

  /** Responses that were served from coded copies. */
  long codedHits() {
    return counters.copies.served;
  }

  /** Whether the edge has left the connection open. */
  boolean isConnected() {
    return channel.isOpen();
  }

  /** How many of the answers came by the fast lane. */
  long fastHits() {
    return counters.fastHits;
  }

  /** Always the same response. */
  static Origin constant(int bodyBytes) {
    byte[] body = new byte[bodyBytes];
    new Random(1).nextBytes(body);
    Answer answer =
        new Answer(
            200,
            HeaderFields.of(
                "server", "origin",
                "content-type", "application/octet-stream",
                "cache-control", "public, max-age=86400",
                "etag", "\"65f0c8a2-2800\"",
                "last-modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
            body);
    return request -> answer;
  }

  /** A configuration with one origin, {@code main}, and routes in YAML. */
  static ServerConfig config(String routes) {
    ConfigEnvironment nothing =
        new ConfigEnvironment(
            Map.of(), Path.of("/nowhere"), Path.of("/nowhere"), Path.of("/"), Path.of("/"), "edge");
    Map<String, String> options =
        Map.of(
            "store.data",
            "/nowhere",
            "limits.requests-per-connection",
            Integer.toString(Integer.MAX_VALUE));
    Path file = null;
    try {
      file = Files.createTempFile("forebay-bench-", ".yaml");
      Files.writeString(file, "origins: {main: {url: \"http://127.0.0.1:9\"}}\n" + routes);
      return loaded(new ConfigLoader(nothing).load(file, options));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (file != null) {
        boolean ignored = file.toFile().delete();
      }
    }
  }

  private static ServerConfig loaded(ConfigOutcome outcome) {
    return switch (outcome) {
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
    send(channel, request, 0, request.length);
    loopChannel.runPendingTasks();
    return taken(channel);
  }

  /**
   * The same where the origin is asked, or a body comes in pieces: until there are so many bytes
   * and nothing is left to do, with the store's own work meanwhile.
   */
  long exchangeAll(byte[] request, long atLeast) {
    send(channel, request, 0, request.length);
    long length = 0;
    boolean isAtWork = true;
    long start = System.nanoTime();
    while (isAtWork) {
      loopChannel.runPendingTasks();
      channel.runPendingTasks();
      // What is read lets go of what it came from, and a body may have waited for that.
      length += taken(channel);
      isAtWork =
          store.store().step()
              || loopChannel.hasPendingTasks()
              || channel.hasPendingTasks()
              || length < atLeast;
      if (isAtWork && System.nanoTime() - start > MAX_ANSWER_NANOS) {
        throw new IllegalStateException(length + " bytes of " + atLeast + " were answered");
      }
    }
    return length;
  }

  /** The same on any channel. */
  static long exchange(EmbeddedChannel channel, byte[] request) {
    send(channel, request, 0, request.length);
    return taken(channel);
  }

  private static long taken(EmbeddedChannel channel) {
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
    return exchangeText(request, 0, request.length);
  }

  /** Sends a part of a request, and gives what has been answered since the last one as text. */
  String exchangeText(byte[] request, int from, int to) {
    send(channel, request, from, to);
    StringBuilder text = new StringBuilder();
    boolean isAtWork = true;
    while (isAtWork) {
      loopChannel.runPendingTasks();
      channel.runPendingTasks();
      // What is read lets go of what it came from, and a body may have waited for that.
      takeText(channel, text);
      isAtWork = loopChannel.hasPendingTasks() || channel.hasPendingTasks();
    }
    return text.toString();
  }

  private static void takeText(EmbeddedChannel channel, StringBuilder text) {
    while (true) {
      ByteBuf out = channel.readOutbound();
      if (out == null) {
        return;
      }
      text.append(out.toString(StandardCharsets.ISO_8859_1));
      out.release();
    }
  }

  private static void send(EmbeddedChannel channel, byte[] request, int from, int to) {
    ByteBuf in = ALLOCATOR.directBuffer(to - from + 1).writeBytes(request, from, to - from);
    channel.pipeline().fireChannelRead(in).fireChannelReadComplete();
    channel.runPendingTasks();
  }

  @Override
  public void close() {
    boolean hasMore = channel.finishAndReleaseAll();
    if (hasMore) {
      throw new IllegalStateException("answers were left unread");
    }
    awaitCopies();
    compressors.close();
    accessLog.close();
    rings.close();
    try {
      DefaultMemoryDirectory.remove(ringDirectory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (isStoreOwn) {
      store.close();
    }
  }

  /** Answers in the loop's next task, as if the bytes had been waiting. */
  private record InstantOrigin(EventLoop eventLoop, Origin origin) implements OriginClient {

    @Override
    public OriginCall send(String name, OriginRequest request, OriginListener to) {
      Call call = new Call();
      eventLoop.execute(() -> answer(call, origin.to(request), to));
      return call;
    }

    private static void answer(Call call, Answer answer, OriginListener to) {
      if (call.isCancelled) {
        return;
      }
      byte[] body = answer.body();
      to.onHead(answer.status(), answer.fields(), body.length, false);
      if (body.length > 0) {
        to.onData(ALLOCATOR.directBuffer(body.length).writeBytes(body));
        to.onReadComplete();
      }
      to.onEnd(HeaderFields.EMPTY);
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
