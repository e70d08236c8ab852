package io.forebay.server;

import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigSource;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.loop.CpuPlan;
import io.forebay.server.node.NodeStatus;
import io.forebay.server.origin.dns.NamePlaces;
import io.forebay.server.purge.PurgeDone;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Certificates;
import io.forebay.testing.Directories;
import io.forebay.testing.PooledBuffers;
import io.forebay.testing.RawClient;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A whole node on loopback: two loops, a small memory tier, a plain and a TLS listener on free
 * ports. Closing it checks that nothing is left: no pin, no fill, no private copy, no buffer.
 */
final class Edge implements AutoCloseable {

  private static @Nullable X509Bundle issuer;
  private static @Nullable X509Bundle chain;

  /** Nodes that are not closed. The loops of each cache buffers, so the last one counts them. */
  private static final Set<Edge> OPEN = new HashSet<>();

  /** Buffers in use before the first of them. */
  private static long buffersBefore;

  private final Path directory;
  private final Path memoryDirectory;
  private final Path file;
  private final SSLContext tls;
  private final Path authority;
  private final LongSupplier clockMillis;
  private CpuPlan.Machine machine = CpuPlan.Machine.here();
  private NamePlaces namePlaces = NamePlaces.SYSTEM;
  private @Nullable Server server;

  private Edge(Path directory, String yaml, LongSupplier clockMillis) throws IOException {
    this.clockMillis = clockMillis;
    this.directory = directory;
    this.memoryDirectory = Directories.inMemory("forebay-test-");
    this.file = directory.resolve("forebay.yaml");
    try {
      Certificates certificates = certificates(directory);
      this.authority = certificates.authorityPem();
      this.tls = certificates.clientContext();
    } catch (Exception e) {
      throw new IOException("no certificate for the node", e);
    }
    configure(yaml);
    opened(this);
  }

  private static synchronized void opened(Edge edge) {
    if (OPEN.isEmpty()) {
      buffersBefore = PooledBuffers.active();
    }
    OPEN.add(edge);
  }

  private static synchronized void closed(Edge edge) {
    if (OPEN.remove(edge) && OPEN.isEmpty()) {
      Await.until("every buffer is released", () -> PooledBuffers.active() <= buffersBefore);
    }
  }

  /**
   * All nodes of a JVM have one authority and one certificate: new ones take as long as a start.
   */
  private static synchronized Certificates certificates(Path directory) throws Exception {
    if (issuer == null || chain == null) {
      Certificates made = Certificates.in(directory);
      chain = made.issue("chain", builder -> builder.ecp256().subject("CN=127.0.0.1"), "127.0.0.1");
      issuer = made.authority();
      return made;
    }
    Certificates known = Certificates.in(directory, issuer);
    known.write("chain", chain);
    return known;
  }

  /** A node in front of one origin, with {@code 32MiB} of memory. */
  static Edge before(TestOrigin origin, Path directory) throws IOException {
    return before(origin, directory, "32MiB", "");
  }

  /**
   * The same.
   *
   * @param memory size of the memory tier
   * @param more what else the configuration says
   */
  static Edge before(TestOrigin origin, Path directory, String memory, String more)
      throws IOException {
    return start(directory, memory, origins(origin.url()) + more);
  }

  /** One origin, named {@code main}, with default routes. */
  static String origins(String url) {
    return "origins: {main: {url: \"" + url + "\", keep-alive: 5s}}\n";
  }

  /**
   * Starts a node.
   *
   * @param memory size of the memory tier
   * @param yaml origins and all else that the test wants to say
   */
  static Edge start(Path directory, String memory, String yaml) throws IOException {
    return start(directory, memory, yaml, System::currentTimeMillis);
  }

  /** The same by another wall clock. */
  static Edge start(Path directory, String memory, String yaml, LongSupplier clockMillis)
      throws IOException {
    return started(new Edge(directory, "MEMORY=" + memory + "\n" + yaml, clockMillis));
  }

  private static Edge started(Edge edge) throws IOException {
    try {
      edge.start();
      return edge;
    } finally {
      if (edge.server == null) {
        edge.close();
      }
    }
  }

  /** The same where a machine knows other names. */
  static Edge start(Path directory, String memory, String yaml, NamePlaces namePlaces)
      throws IOException {
    Edge edge = new Edge(directory, "MEMORY=" + memory + "\n" + yaml, System::currentTimeMillis);
    edge.namePlaces = namePlaces;
    return started(edge);
  }

  /** The same on what it takes for its machine. */
  static Edge start(Path directory, String memory, String yaml, CpuPlan.Machine machine)
      throws IOException {
    Edge edge = new Edge(directory, "MEMORY=" + memory + "\n" + yaml, System::currentTimeMillis);
    edge.machine = machine;
    return started(edge);
  }

  /**
   * Writes the configuration that the next start or reload reads.
   *
   * @param yaml what else it is to say; may begin with more entries of {@code listen}
   */
  void configure(String yaml) throws IOException {
    String memory = "32MiB";
    String rest = yaml;
    if (yaml.startsWith("MEMORY=")) {
      int end = yaml.indexOf('\n');
      memory = yaml.substring("MEMORY=".length(), end);
      rest = yaml.substring(end + 1);
    }
    Files.writeString(
        file,
        """
        ADMIN
        store: {data: "DIR/data", memory: SIZE, memory-directory: "MEMORY", disk-stop-limit: 10m}
        LOOPS
        OVERLOAD
        NODE_ID
        listen:
          - {name: plain, address: "127.0.0.1:0"}
          - name: secure
            address: "127.0.0.1:0"
            tls: {certificate: "DIR/chain.pem", key: "DIR/chain.key"}
        """
                .replace("DIR", directory.toString())
                .replace("SIZE", memory)
                .replace("MEMORY", memoryDirectory.toString())
                .replace(
                    "ADMIN\n", rest.contains("admin:") ? "" : "admin: {address: \"127.0.0.1:0\"}\n")
                .replace(
                    "LOOPS\n", rest.contains("threads:") ? "" : "threads: {loops: 2, pin: off}\n")
                // A machine that is busy with other tests turns nobody away.
                .replace("OVERLOAD\n", rest.contains("overload:") ? "" : "overload: {delay: 0s}\n")
                .replace(
                    "NODE_ID\n", rest.contains("node-id") ? "" : "forwarding: {node-id: edge}\n")
            + rest);
  }

  void start() {
    ConfigLoader loader = new ConfigLoader(ConfigEnvironment.system());
    try {
      server =
          Server.start(
              ConfigSource.of(loader, file, Map.of()), "test", clockMillis, machine, namePlaces);
    } catch (StartException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stops the node in good order; its directories stay. */
  void stop() {
    stop(Duration.ofSeconds(1));
  }

  /** The same; what is in progress has that long. */
  void stop(Duration bound) {
    server().drain(bound);
    server = null;
  }

  Server server() {
    Server running = server;
    if (running == null) {
      throw new IllegalStateException("not running");
    }
    return running;
  }

  int port() {
    return port("plain");
  }

  int tlsPort() {
    return port("secure");
  }

  int port(String listener) {
    return server().listening().stream()
        .filter(listening -> listening.name().equals(listener))
        .mapToInt(NodeStatus.Listening::port)
        .findFirst()
        .orElseThrow();
  }

  /** What a URL of the plain listener looks like, for purges. */
  String url(String path) {
    return "http://127.0.0.1:" + port() + path;
  }

  RawClient connect() {
    return new RawClient(port());
  }

  RawClient connectTls() throws IOException {
    return new RawClient(tls.getSocketFactory().createSocket("127.0.0.1", tlsPort()));
  }

  /** TLS over what is connected already. */
  Socket secured(Socket connected) throws IOException {
    return tls.getSocketFactory().createSocket(connected, "127.0.0.1", connected.getPort(), true);
  }

  /** PEM file of the authority to trust. */
  Path authority() {
    return authority;
  }

  /** TLS of a client that knows this node's authority. */
  SSLContext tlsClientContext() {
    return tls;
  }

  /** A client of the JDK over TLS that knows this node's authority. */
  HttpClient tlsClient(HttpClient.Version version) {
    return HttpClient.newBuilder().version(version).sslContext(tls).build();
  }

  void purge(PurgeKind kind, String text, boolean isSoft) {
    try {
      PurgeDone ignored = server().purge(new PurgeOrder(kind, text, isSoft));
    } catch (PurgeRefusedException e) {
      throw new IllegalStateException(e);
    }
  }

  void purgeUrl(String path) {
    purge(PurgeKind.URL, url(path), false);
  }

  /** The response of the admin API to {@code POST /v1/explain}, which has that status. */
  JsonNode explain(int status, String order) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(URI.create(server().adminUrl() + "/v1/explain"))
                  .POST(HttpRequest.BodyPublishers.ofString(order))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != status) {
        throw new AssertionError(response.statusCode() + " " + response.body());
      }
      return JsonMapper.shared().readTree(response.body());
    }
  }

  /** The sum of a counter over the loops. */
  long sum(ToLongFunction<LoopCounters> counter) {
    return server().counters().stream().mapToLong(counter).sum();
  }

  /**
   * Waits until a counter has come to a value: it may be counted after the client has seen the end.
   */
  void awaitSum(long expected, ToLongFunction<LoopCounters> counter) {
    Await.until("a counter comes to " + expected, () -> sum(counter) == expected);
  }

  /** Waits until the node holds nothing for any request. */
  void awaitIdle() {
    Await.until("no fill in progress", () -> server().fillsInProgress() == 0);
    Await.until("no copy in progress", () -> server().copiesInProgress() == 0);
    Await.until("no unfinished object", () -> server().store().unfinishedFills() == 0);
    Await.until("no region pinned", () -> server().store().pins() == 0);
    Await.until("no private copy held", () -> server().privateCopyBytes() == 0);
    Await.until("no request is counted as in flight", () -> server().countedInFlight() == 0);
    Await.until(
        "no transit buffer in use",
        () -> server().disks().stream().allMatch(disk -> disk.transitBytes() == 0));
  }

  /** Bytes that look random and are the same for the same seed. */
  static byte[] bytes(long seed, int length) {
    return Bytes.random(seed, length);
  }

  @Override
  public void close() throws IOException {
    if (server != null) {
      awaitIdle();
      server.close();
      server = null;
    }
    closed(this);
    Directories.delete(memoryDirectory);
  }
}
