package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.AdaptiveLimitConfig;
import io.forebay.server.config.EgressConfig;
import io.forebay.server.config.OriginTlsConfig;
import io.forebay.server.config.ProbeConfig;
import io.forebay.server.config.ProtectionConfig;
import io.forebay.server.config.ServerConfig.Balance;
import io.forebay.server.config.ServerConfig.EjectionConfig;
import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.ServerConfig.RetryConfig;
import io.forebay.server.config.ServerConfig.SlowConfig;
import io.forebay.server.config.SigningConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.dns.NameResolver;
import io.forebay.server.origin.dns.ServiceAddress;
import io.forebay.server.origin.drain.DrainFile;
import io.forebay.server.origin.group.Origins;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Origin clients on real event loops, for tests. Closing it closes every connection and then checks
 * that every allocated buffer was released.
 */
final class Lab implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 10;

  /** Those of the default configuration, but for few frames. */
  static final Http2Config FRAMES =
      new Http2Config(Duration.ofSeconds(30), 200, 200, 50, 20, 100, 16, 4, 100);

  /** Those of the default configuration. */
  private static final ResponseLimits BOUNDS = new ResponseLimits(32 * 1024, 128, FRAMES);

  /** By how much the clock of ejections is ahead. */
  final AtomicLong clockAheadNanos = new AtomicLong();

  final List<String> log = new CopyOnWriteArrayList<>();
  final OriginConnections connections =
      new OriginConnections(() -> System.nanoTime() + clockAheadNanos.get(), log::add);

  /** By how much the clock of signatures is ahead. */
  final AtomicLong wallAheadMillis = new AtomicLong();

  /** The wall clock stands at this time if it is set. */
  volatile @Nullable Instant wallAt;

  private final InstantSource wall = this::wallNow;
  final ScriptedNames names = new ScriptedNames();
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  final List<LoopCounters> counters = new ArrayList<>();
  private final MultiThreadIoEventLoopGroup group;
  private final List<PooledOriginClient> clients = new ArrayList<>();

  /** What each loop has sent, in progress or not. */
  private final List<List<OriginCall>> calls = new ArrayList<>();

  private Origins origins = Origins.NONE;
  private @Nullable OriginProbes probes;

  Lab(int loops, boolean isNio, OriginConfig... configs) throws Exception {
    boolean isEpoll = !isNio && Epoll.isAvailable();
    group =
        new MultiThreadIoEventLoopGroup(
            loops, isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    Class<? extends SocketChannel> type =
        isEpoll ? EpollSocketChannel.class : NioSocketChannel.class;
    origins = Origins.load(List.of(configs), Origins.NONE, address -> false, wall);
    for (int i = 0; i < loops; i++) {
      LoopCounters loopCounters = new LoopCounters();
      counters.add(loopCounters);
      calls.add(new ArrayList<>());
      clients.add(
          new PooledOriginClient(
              group.next(),
              type,
              allocator,
              origins,
              BOUNDS,
              connections,
              names,
              loopCounters,
              () -> 0));
    }
  }

  private Instant wallNow() {
    Instant fixed = wallAt;
    return fixed == null ? Instant.now().plusMillis(wallAheadMillis.get()) : fixed;
  }

  /** One loop. */
  static Lab of(OriginConfig... configs) throws Exception {
    return new Lab(1, false, configs);
  }

  /** An origin named {@code main} with timeouts that no test reaches by chance. */
  static OriginConfig origin(String url) {
    return new OriginConfig(
        "main",
        List.of(OriginServerConfig.of(url)),
        Balance.ROUND_ROBIN,
        new RetryConfig(1, List.of(), 10, false, true),
        new EjectionConfig(5, 5, Duration.ofSeconds(10), 50, 50, SlowConfig.OFF),
        ProbeConfig.NONE,
        Duration.ZERO,
        null,
        OriginProtocol.HTTP1,
        8,
        null,
        false,
        true,
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        Duration.ZERO,
        Duration.ofSeconds(30),
        SigningConfig.NONE,
        List.of(),
        OriginTlsConfig.DEFAULT,
        EgressConfig.DEFAULT,
        ProtectionConfig.DEFAULT);
  }

  /** The same with several servers. */
  static OriginConfig withServers(OriginConfig c, OriginServerConfig... servers) {
    return edit(c, draft -> draft.servers = List.of(servers));
  }

  /** A server with a limit of its own. */
  static OriginServerConfig limited(String url, int most) {
    return new OriginServerConfig(url, 1, false, most);
  }

  static OriginConfig balanced(OriginConfig c, Balance balance) {
    return edit(c, draft -> draft.balance = balance);
  }

  static OriginConfig withRetries(OriginConfig c, int attempts, int budget, Integer... statuses) {
    return edit(
        c,
        draft -> draft.retry = new RetryConfig(attempts, List.of(statuses), budget, false, true));
  }

  static OriginConfig withEjection(OriginConfig c, int failures, int maxShare, int panic) {
    return edit(
        c,
        draft ->
            draft.ejection =
                new EjectionConfig(
                    failures, failures, Duration.ofSeconds(10), maxShare, panic, SlowConfig.OFF));
  }

  static OriginConfig speaking(OriginConfig c, OriginProtocol protocol) {
    return edit(c, draft -> draft.protocol = protocol);
  }

  static OriginConfig withMost(OriginConfig c, int most) {
    return edit(c, draft -> draft.maxConnections = most);
  }

  static OriginConfig protectedBy(OriginConfig c, ProtectionConfig protection) {
    return edit(c, draft -> draft.protection = protection);
  }

  /** With room for so many requests that wait. */
  static ProtectionConfig waiting(int most) {
    return new ProtectionConfig(most, AdaptiveLimitConfig.OFF, false);
  }

  /** Requests fail at once while every address is ejected. */
  static OriginConfig withCircuit(OriginConfig c) {
    return protectedBy(c, new ProtectionConfig(100, AdaptiveLimitConfig.OFF, true));
  }

  static OriginConfig withTimes(
      OriginConfig c, long connect, long firstByte, long idle, long total, long keepAlive) {
    return edit(
        c,
        draft -> {
          draft.connect = Duration.ofMillis(connect);
          draft.firstByte = Duration.ofMillis(firstByte);
          draft.idle = Duration.ofMillis(idle);
          draft.total = Duration.ofMillis(total);
          draft.keepAlive = Duration.ofMillis(keepAlive);
        });
  }

  static OriginConfig withTrust(OriginConfig c, @Nullable Path trust) {
    return edit(c, draft -> draft.trust = trust);
  }

  static OriginConfig withProbe(OriginConfig c, ProbeConfig probe) {
    return edit(c, draft -> draft.probe = probe);
  }

  static OriginConfig withSlowStart(OriginConfig c, Duration period) {
    return edit(c, draft -> draft.slowStart = period);
  }

  static OriginConfig withSlow(OriginConfig c, SlowConfig slow) {
    return edit(
        c,
        draft -> draft.ejection = new EjectionConfig(5, 5, Duration.ofSeconds(10), 50, 50, slow));
  }

  /** Another origin than {@code main}. */
  static OriginConfig named(OriginConfig c, String name) {
    return edit(c, draft -> draft.name = name);
  }

  static OriginConfig withHost(OriginConfig c, String host) {
    return edit(c, draft -> draft.host = host);
  }

  static OriginConfig withFallback(OriginConfig c, String... origins) {
    return edit(c, draft -> draft.fallback = List.of(origins));
  }

  static OriginConfig withTls(OriginConfig c, OriginTlsConfig tls) {
    return edit(c, draft -> draft.tls = tls);
  }

  static OriginConfig withEgress(OriginConfig c, EgressConfig egress) {
    return edit(c, draft -> draft.egress = egress);
  }

  static OriginConfig withLoopbackNames(OriginConfig c) {
    return edit(c, draft -> draft.allowLoopbackNames = true);
  }

  static OriginConfig withoutPrivateNames(OriginConfig c) {
    return edit(c, draft -> draft.allowPrivateNames = false);
  }

  static OriginConfig withSigning(OriginConfig c, SigningConfig signing) {
    return edit(c, draft -> draft.signing = signing);
  }

  private static OriginConfig edit(OriginConfig config, Consumer<Draft> edit) {
    Draft draft = new Draft(config);
    edit.accept(draft);
    return draft.config();
  }

  /** An origin's configuration in the making. */
  private static final class Draft {
    private String name;
    private List<OriginServerConfig> servers;
    private @Nullable String host;
    private List<String> fallback;
    private OriginTlsConfig tls;
    private EgressConfig egress;
    private Balance balance;
    private RetryConfig retry;
    private EjectionConfig ejection;
    private ProbeConfig probe;
    private Duration slowStart;
    private OriginProtocol protocol;
    private int maxConnections;
    private @Nullable Path trust;
    private boolean allowLoopbackNames;
    private boolean allowPrivateNames;
    private Duration connect;
    private Duration firstByte;
    private Duration idle;
    private Duration total;
    private Duration keepAlive;
    private SigningConfig signing;
    private ProtectionConfig protection;

    Draft(OriginConfig from) {
      name = from.name();
      host = from.host();
      fallback = from.fallback();
      tls = from.tls();
      egress = from.egress();
      servers = from.servers();
      balance = from.balance();
      retry = from.retry();
      ejection = from.ejection();
      probe = from.probe();
      slowStart = from.slowStart();
      protocol = from.protocol();
      maxConnections = from.maxConnections();
      trust = from.trust();
      allowLoopbackNames = from.allowLoopbackNames();
      allowPrivateNames = from.allowPrivateNames();
      connect = from.connectTimeout();
      firstByte = from.firstByteTimeout();
      idle = from.idleTimeout();
      total = from.totalTimeout();
      keepAlive = from.keepAlive();
      signing = from.signing();
      protection = from.protection();
    }

    OriginConfig config() {
      return new OriginConfig(
          name,
          servers,
          balance,
          retry,
          ejection,
          probe,
          slowStart,
          host,
          protocol,
          maxConnections,
          trust,
          allowLoopbackNames,
          allowPrivateNames,
          connect,
          firstByte,
          idle,
          total,
          keepAlive,
          signing,
          fallback,
          tls,
          egress,
          protection);
    }
  }

  static OriginRequest get(String target) {
    return request("GET", target, RequestBody.NONE);
  }

  static OriginRequest request(String method, String target, RequestBody body) {
    return new OriginRequest(method, target, HeaderFields.of("host", "example.com"), body);
  }

  /** Sends by a client that stands before the one of the first loop. */
  Recorder sendBy(OriginClient client, OriginRequest request) throws Exception {
    return sendBy(client, request, new Recorder(), call -> {});
  }

  Recorder sendBy(
      OriginClient client, OriginRequest request, Recorder recorder, Consumer<OriginCall> then)
      throws Exception {
    return sendBy(0, client, request, recorder, then);
  }

  private Recorder sendBy(
      int loop,
      OriginClient client,
      OriginRequest request,
      Recorder recorder,
      Consumer<OriginCall> then)
      throws Exception {
    onLoop(
        loop,
        () -> {
          OriginCall call = sendOnLoop(loop, client, request, recorder);
          assertEquals(0, recorder.ends, "the listener was called before send returned");
          then.accept(call);
          return call;
        });
    return recorder;
  }

  /** Sends from a task of that loop. */
  OriginCall sendOnLoop(int loop, OriginClient client, OriginRequest request, Recorder recorder) {
    OriginCall call = client.send("main", request, recorder);
    calls.get(loop).add(call);
    return call;
  }

  Recorder send(OriginRequest request) throws Exception {
    return send(0, request, new Recorder(), call -> {});
  }

  Recorder send(int loop, OriginRequest request) throws Exception {
    return send(loop, request, new Recorder(), call -> {});
  }

  /** Sends on a loop; what to do with the call happens there too, before anything else can. */
  Recorder send(int loop, OriginRequest request, Recorder recorder, Consumer<OriginCall> then)
      throws Exception {
    return sendBy(loop, clients.get(loop), request, recorder, then);
  }

  <T> T onLoop(int loop, Callable<T> task) throws Exception {
    return clients.get(loop).loop().submit(task).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  PooledOriginClient client(int loop) {
    return clients.get(loop);
  }

  /** What {@code explain} says of the origin. */
  List<String> notes() {
    return origins.notes("main");
  }

  /** What reports show of the origin. */
  OriginStatus status() {
    return OriginStatus.all(origins, clients, connections, names).getFirst();
  }

  /** What operators use, with its file in that directory. */
  OriginDrains drains(Path directory) throws IOException {
    return new OriginDrains(
        new DrainFile(directory),
        connections,
        () -> OriginStatus.all(origins, clients, connections, names),
        this::applyDrains,
        () -> 1_700_000_000_000L);
  }

  /** Begins to probe as the origins are configured; reloads are followed. */
  OriginProbes probes() {
    OriginProbes made =
        new OriginProbes(
            connections,
            names,
            allocator,
            new SplittableRandom(1),
            () -> 1_700_000_000_000L,
            System::nanoTime,
            log::add);
    probes = made;
    made.configure(origins);
    return made;
  }

  private void applyDrains() {
    for (PooledOriginClient client : clients) {
      client.loop().submit(client::applyDrains).syncUninterruptibly();
    }
  }

  LoopCounters counters() {
    return counters.getFirst();
  }

  /** Waits until something becomes true on the loop, looking again after each round of events. */
  void awaitOnLoop(int loop, String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!onLoop(loop, condition)) {
      assertTrue(System.nanoTime() < deadline, () -> "never became true: " + what);
      Thread.onSpinWait();
    }
  }

  void reconfigure(OriginConfig... configs) throws Exception {
    origins = Origins.load(List.of(configs), origins, address -> false, wall);
    if (probes != null) {
      probes.configure(origins);
    }
    for (int i = 0; i < clients.size(); i++) {
      PooledOriginClient client = clients.get(i);
      onLoop(
          i,
          () -> {
            client.reconfigure(origins, BOUNDS);
            return null;
          });
    }
  }

  @Override
  public void close() throws Exception {
    if (probes != null) {
      probes.close();
    }
    for (int i = 0; i < clients.size(); i++) {
      PooledOriginClient client = clients.get(i);
      List<OriginCall> sent = calls.get(i);
      onLoop(
          i,
          () -> {
            client.close();
            // Without it an unanswered one keeps its connection until it times out.
            sent.forEach(OriginCall::cancel);
            return null;
          });
    }
    for (int i = 0; i < clients.size(); i++) {
      LoopCounters open = counters.get(i);
      awaitOnLoop(i, "connections are closed", () -> open.originConnectionsOpen == 0);
    }
    // Channels that are still being opened are told of their end only in Netty's quiet period,
    // which takes 100 ms.
    boolean isAnyOpening = statuses().stream().anyMatch(server -> server.connections() > 0);
    group
        .shutdownGracefully(isAnyOpening ? 10 : 0, PATIENCE_SECONDS * 1000, TimeUnit.MILLISECONDS)
        .await();
    assertTrue(group.isTerminated());
    assertEquals(0, allocator.metric().usedDirectMemory(), "direct bytes never released");
    assertEquals(0, allocator.metric().usedHeapMemory(), "heap bytes never released");
    for (LoopCounters loopCounters : counters) {
      assertEquals(0, loopCounters.originConnectionsOpen, "open connections after the end");
    }
    assertEquals(0, connections.open("main"), "permits after the end");
    for (OriginStatus.Server server : statuses()) {
      assertEquals(0, server.connections(), "permits of a server after the end");
    }
  }

  private List<OriginStatus.Server> statuses() {
    return OriginStatus.all(origins, clients, connections, names).stream()
        .flatMap(origin -> origin.servers().stream())
        .toList();
  }

  /** Names that resolve to what the test says, at once. */
  static final class ScriptedNames implements NameResolver {
    private final Map<String, Resolution> known = new ConcurrentHashMap<>();
    private volatile UnaryOperator<Runnable> delivery = task -> task;

    void set(String name, String... addresses) throws UnknownHostException {
      List<InetAddress> list = new ArrayList<>();
      for (String address : addresses) {
        list.add(InetAddress.getByName(address));
      }
      known.put(name, new Resolution(list, null, null));
    }

    /** Gives an SRV name these addresses, in order of priority. */
    void set(String name, ServiceAddress... services) {
      List<InetAddress> list = Stream.of(services).map(ServiceAddress::address).toList();
      known.put(SRV + name, new Resolution(list, null, null, List.of(services)));
    }

    void fail(String name, String why) {
      known.put(name, new Resolution(List.of(), why, "SERVFAIL"));
    }

    /** Answers are handed to the test instead of being given. */
    void holdBack(Consumer<Runnable> keeper) {
      delivery =
          task ->
              () -> {
                keeper.accept(task);
              };
    }

    @Override
    public void resolve(String name, EventExecutor loop, Consumer<Resolution> answer) {
      Resolution unknown = new Resolution(List.of(), "not in the script", null);
      delivery.apply(() -> answer.accept(known.getOrDefault(name, unknown))).run();
    }

    @Override
    public @Nullable Resolution latest(String name) {
      return known.get(name);
    }

    @Override
    public void watch(Set<String> names) {}
  }

  /** The loop of a client. */
  EventLoop loop(int index) {
    return clients.get(index).loop();
  }
}
