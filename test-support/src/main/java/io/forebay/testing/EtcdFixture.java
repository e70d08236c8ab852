package io.forebay.testing;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Members of etcd, from Debian's package {@code etcd-server}, on loopback or where a test says, in
 * a directory of the test. Ports and data stay over a kill; closing ends the processes.
 */
public final class EtcdFixture implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/bin/etcd");
  private static final Duration START_LIMIT = Duration.ofSeconds(40);

  private final Path directory;
  private final List<String> options;
  private final String scheme;
  private final List<Place> places;
  private final int[] clientPorts;
  private final int[] peerPorts;
  private final @Nullable Process[] members;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(1))
          .build();

  /**
   * Where a member runs.
   *
   * @param host an address of it that the test reaches
   * @param command which ends by executing what follows it
   */
  public record Place(String host, List<String> command) {
    static final Place LOOPBACK = new Place("127.0.0.1", List.of());
  }

  private EtcdFixture(Path directory, List<Place> places, String scheme, List<String> options)
      throws IOException {
    int count = places.size();
    this.directory = Files.createDirectories(directory);
    this.places = places;
    this.options = options;
    this.scheme = scheme;
    this.clientPorts = new int[count];
    this.peerPorts = new int[count];
    this.members = new Process[count];
    for (int i = 0; i < count; i++) {
      clientPorts[i] = Ports.free();
      peerPorts[i] = Ports.free();
    }
  }

  /** Starts members and waits until they have a leader. */
  public static EtcdFixture start(Path directory, int members) throws Exception {
    return start(directory, Collections.nCopies(members, Place.LOOPBACK));
  }

  /** The same, each member in its place. */
  public static EtcdFixture start(Path directory, List<Place> places) throws Exception {
    EtcdFixture etcd = new EtcdFixture(directory, places, "http", List.of());
    try {
      for (int i = 0; i < places.size(); i++) {
        etcd.restart(i);
      }
      etcd.awaitLeader();
      return etcd;
    } catch (Exception | Error e) {
      etcd.close();
      throw e;
    }
  }

  /**
   * Starts one member with further options, such as those of TLS; its port is awaited and no more.
   */
  public static EtcdFixture startSecured(Path directory, String... options) throws Exception {
    EtcdFixture etcd =
        new EtcdFixture(directory, List.of(Place.LOOPBACK), "https", List.of(options));
    try {
      etcd.restart(0);
      Await.until("etcd listens", START_LIMIT, () -> Ports.isListening(etcd.clientPorts[0]));
      return etcd;
    } catch (Exception | Error e) {
      etcd.close();
      throw e;
    }
  }

  /** Starts a member, for the first time or with the data that it left. */
  public void restart(int member) throws IOException {
    List<String> command = new ArrayList<>(places.get(member).command());
    command.add(PROGRAM.toString());
    command.addAll(identity(member));
    command.addAll(
        List.of(
            "--listen-client-urls=" + url(member),
            "--advertise-client-urls=" + url(member),
            "--listen-peer-urls=" + peerUrl(member),
            "--initial-cluster-state=new",
            "--logger=zap",
            "--log-outputs=stderr"));
    command.addAll(options);
    File log = directory.resolve("m" + member + ".log").toFile();
    members[member] =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
            .redirectInput(new File("/dev/null"))
            .start();
  }

  /** Where a member has its data, for a backup of it while it is stopped. */
  public Path data(int member) {
    return directory.resolve("m" + member);
  }

  /** The options of etcd, and of a restore, that say which member it is. */
  private List<String> identity(int member) {
    String peers =
        IntStream.range(0, members.length)
            .mapToObj(i -> "m" + i + "=" + peerUrl(i))
            .collect(Collectors.joining(","));
    return List.of(
        "--name=m" + member,
        "--data-dir=" + data(member),
        "--initial-advertise-peer-urls=" + peerUrl(member),
        "--initial-cluster=" + peers);
  }

  private String peerUrl(int member) {
    return "http://" + places.get(member).host() + ":" + peerPorts[member];
  }

  public int members() {
    return members.length;
  }

  private String url(int member) {
    return scheme + "://" + places.get(member).host() + ":" + clientPorts[member];
  }

  /** URLs of all members. */
  public List<URI> endpoints() {
    return IntStream.range(0, members.length).mapToObj(i -> URI.create(url(i))).toList();
  }

  /** The same with commas between. */
  public String endpointList() {
    return endpoints().stream().map(URI::toString).collect(Collectors.joining(","));
  }

  /** The member that leads; -1 where none says so. */
  public int leader() {
    for (int i = 0; i < members.length; i++) {
      Process member = members[i];
      if (member != null && member.isAlive()) {
        try {
          String status = post(i, "/v3/maintenance/status", "{}");
          String own = field(status, "member_id");
          String leader = field(status, "leader");
          if (!leader.isEmpty() && !leader.equals("0") && leader.equals(own)) {
            return i;
          }
        } catch (IOException e) {
          // Another one may know.
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return -1;
        }
      }
    }
    return -1;
  }

  public void awaitLeader() {
    Await.until("etcd has a leader", START_LIMIT, () -> leader() >= 0);
  }

  /** SIGKILL. */
  public void kill(int member) throws InterruptedException {
    Process dying = members[member];
    if (dying != null && !dying.destroyForcibly().waitFor(10, TimeUnit.SECONDS)) {
      throw new AssertionError("SIGKILL did not end etcd");
    }
  }

  /** Saves what a member has to a file, by Debian's package {@code etcd-client}. */
  public void save(int member, Path file) throws IOException, InterruptedException {
    Commands.run(
            "env",
            "ETCDCTL_API=3",
            "etcdctl",
            "--endpoints=" + url(member),
            "snapshot",
            "save",
            file.toString())
        .orFail();
  }

  /** Kills all members, and starts them with what was saved. */
  public void restore(Path file) throws IOException, InterruptedException {
    for (int member = 0; member < members.length; member++) {
      kill(member);
    }
    for (int member = 0; member < members.length; member++) {
      Directories.delete(data(member));
      List<String> command =
          new ArrayList<>(
              List.of("env", "ETCDCTL_API=3", "etcdctl", "snapshot", "restore", file.toString()));
      command.addAll(identity(member));
      Commands.run(Duration.ofMinutes(1), command).orFail();
    }
    for (int member = 0; member < members.length; member++) {
      restart(member);
    }
    awaitLeader();
  }

  public long pid(int member) {
    Process running = members[member];
    if (running == null) {
      throw new AssertionError("member " + member + " was not started");
    }
    return running.pid();
  }

  /** Drops the history up to a revision. */
  public void compact(long revision) throws IOException, InterruptedException {
    String ignored =
        post(Math.max(0, leader()), "/v3/kv/compaction", "{\"revision\":\"" + revision + "\"}");
  }

  /** Sends JSON to a member; the answer. */
  public String post(int member, String path, String json)
      throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create(url(member) + path))
                .timeout(Duration.ofSeconds(5))
                .POST(HttpRequest.BodyPublishers.ofString(json, StandardCharsets.UTF_8))
                .build(),
            BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException(path + ": " + answer.statusCode() + " " + answer.body());
    }
    return answer.body();
  }

  /** What a member counts. */
  public Metrics metrics(int member) throws IOException, InterruptedException {
    return Metrics.parse(
        http.send(
                HttpRequest.newBuilder(URI.create(url(member) + "/metrics"))
                    .timeout(Duration.ofSeconds(5))
                    .build(),
                BodyHandlers.ofString())
            .body());
  }

  private static String field(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\":\"?([0-9]+)").matcher(json);
    return matcher.find() ? matcher.group(1) : "";
  }

  @Override
  public void close() {
    for (Process member : members) {
      if (member != null) {
        member.destroyForcibly();
      }
    }
    for (Process member : members) {
      if (member != null) {
        try {
          boolean ignored = member.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
    http.close();
  }
}
