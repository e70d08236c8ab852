package io.forebay.e2e.storm;

import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.EtcdFixture;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Nodes with disks and clocks of their own, and members of etcd, each on a host of its own. */
final class StormCluster implements AutoCloseable {
  static final int NODES = 3;
  static final int MEMBERS = 3;

  /** How long after its last proof a node is fenced, and how long its lease lasts. */
  static final int FENCE_SECONDS = 2;

  static final int LEASE_SECONDS = FENCE_SECONDS + 2;

  private static final String TOKEN = "0123456789abcdef";
  private static final Pattern REVISION = Pattern.compile("\"revision\":\"([0-9]+)\"");
  private static final int FIRST_NODE = 11;
  private static final int FIRST_MEMBER = 21;
  private static final int PEER_PORT = 7443;

  private final Path directory;
  private final String originUrl;
  private final StormNetwork network;
  private final Certificates certificates;
  private final EtcdFixture etcd;
  private final List<EdgeProcess> edges = new ArrayList<>();
  private final List<StormDisk> disks = new ArrayList<>();
  private final List<StormClock> clocks = new ArrayList<>();

  /** Starts etcd; nodes are added then. */
  StormCluster(Path directory, String originUrl) throws Exception {
    this.directory = directory;
    this.originUrl = originUrl;
    this.network = new StormNetwork();
    for (int i = 0; i < NODES; i++) {
      network.add(node(i), FIRST_NODE + i);
    }
    List<EtcdFixture.Place> places = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      network.add(member(i), FIRST_MEMBER + i);
      places.add(new EtcdFixture.Place(network.address(member(i)), StormNetwork.inside(member(i))));
    }
    this.certificates = Certificates.in(Files.createDirectories(directory.resolve("tls")));
    this.etcd = EtcdFixture.start(directory.resolve("etcd"), places);
  }

  static String node(int number) {
    return "edge-" + number;
  }

  static String member(int number) {
    return "etcd-" + number;
  }

  static List<String> nodes() {
    return IntStream.range(0, NODES).mapToObj(StormCluster::node).toList();
  }

  static List<String> members() {
    return IntStream.range(0, MEMBERS).mapToObj(StormCluster::member).toList();
  }

  /** Starts the next node, by {@code cluster.purge} and other members of etcd than usual. */
  void addNode(String cutOff, String gap, String endpoints) throws Exception {
    int number = edges.size();
    String name = node(number);
    String address = network.address(name);
    Path own = Files.createDirectories(directory.resolve(name));
    StormDisk disk = new StormDisk(own.resolve("disk"));
    StormClock clock = new StormClock(own.resolve("clock"));
    List<String> wrapper = new ArrayList<>(StormNetwork.inside(name));
    wrapper.addAll(clock.command());
    certificates.forUri(name, "forebay://storm/" + name);
    EdgeProcess.Settings settings =
        EdgeProcess.in(own, originUrl)
            .wrapped(wrapper.toArray(new String[0]))
            .at(address, TOKEN)
            .data(disk.data())
            .threads(1)
            .memory("32MiB")
            .heap("192m")
            .quick()
            .noisy()
            .config(
                """
                admin: {token: %s}
                forwarding: {node-id: %s}
                cluster:
                  name: storm
                  listen: "%s:%d"
                  advertise: "%s:%d"
                  tls: {ca: "%s", certificate: "%s", key: "%s"}
                  log: {endpoints: "%s"}
                  purge: {fence-after: %ds, cut-off: %s, gap: %s}
                %s
                """
                    .formatted(
                        TOKEN,
                        name,
                        address,
                        PEER_PORT,
                        address,
                        PEER_PORT,
                        certificates.authorityPem(),
                        certificates.pem(name),
                        certificates.key(name),
                        endpoints,
                        FENCE_SECONDS,
                        cutOff,
                        gap,
                        System.getProperty("test.storm.cluster", "").indent(2)));
    edges.add(settings.start());
    disks.add(disk);
    clocks.add(clock);
  }

  StormNetwork network() {
    return network;
  }

  EtcdFixture etcd() {
    return etcd;
  }

  EdgeProcess edge(int number) {
    return edges.get(number);
  }

  StormDisk disk(int number) {
    return disks.get(number);
  }

  StormClock clock(int number) {
    return clocks.get(number);
  }

  /** A connection to a node. */
  RawClient client(int number) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(
          new InetSocketAddress(network.address(node(number)), edges.get(number).port()), 2_000);
      return new RawClient(socket);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  void awaitReady() {
    for (EdgeProcess edge : edges) {
      Await.until("a node is ready", () -> edge.admin("/readyz").statusCode() == 200);
    }
  }

  /** A figure of a node; 0 where it does not say. */
  long figure(int node, String metric) throws InterruptedException {
    try {
      return (long) edges.get(node).metrics().sum(metric);
    } catch (IOException e) {
      return 0;
    }
  }

  /** The newest revision of etcd. */
  long revision() throws IOException, InterruptedException {
    String answer =
        etcd.post(
            Math.max(0, etcd.leader()),
            "/v3/kv/range",
            "{\"key\":\"" + base64("/forebay/storm/last") + "\"}");
    Matcher matcher = REVISION.matcher(answer);
    if (!matcher.find()) {
      throw new IOException("no revision: " + answer);
    }
    return Long.parseLong(matcher.group(1));
  }

  /** The time of day of a node, by an answer that it makes itself. */
  Instant timeOf(int number) throws IOException {
    try (RawClient client = client(number)) {
      return Instant.from(
          DateTimeFormatter.RFC_1123_DATE_TIME.parse(
              client.send("GET / HTTP/1.1\r\n\r\n").reply().field("date")));
    }
  }

  /** Deletes the name of the log, which the first node that reads it then gives anew. */
  void deleteEpoch() throws IOException, InterruptedException {
    String ignored =
        etcd.post(0, "/v3/kv/deleterange", "{\"key\":\"" + base64("/forebay/storm/epoch") + "\"}");
  }

  /** Lets what etcd has of a member say that it is fenced when it is away, whatever it does. */
  void claimFence(int node) throws IOException, InterruptedException {
    String value =
        "{\"v\":1,\"group\":\"default\",\"address\":\"%s:%d\",\"cutOff\":\"fence\",\"version\":\"1\"}"
            .formatted(network.address(node(node)), PEER_PORT);
    String ignored =
        etcd.post(
            0,
            "/v3/kv/put",
            "{\"key\":\"%s\",\"value\":\"%s\"}"
                .formatted(base64("/forebay/storm/members/" + node(node)), base64(value)));
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() throws Exception {
    try {
      for (EdgeProcess edge : edges) {
        edge.close();
      }
    } finally {
      etcd.close();
    }
  }
}
