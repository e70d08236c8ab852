package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The packaged jar as a child process, run by the Java that runs the test. Ports and directories
 * stay the same over restarts; closing ends it and takes its memory files away.
 */
final class EdgeProcess implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(40);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(1);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Pattern RSS = Pattern.compile("VmRSS:\\s+([0-9]+) kB");

  private final Settings settings;
  private final Path out;
  private final Path err;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private @Nullable Process process;

  private EdgeProcess(Settings settings) {
    this.settings = settings;
    this.out = settings.directory.resolve("edge.out");
    this.err = settings.directory.resolve("edge.err");
  }

  /** How to start one. */
  static final class Settings {
    private final Path directory;
    private final Path memory;
    private final int port;
    private final int adminPort;
    private final List<String> jvm = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final List<String> wrapper = new ArrayList<>();
    private Path data;
    private String memorySize = "128MiB";
    private int threads = 2;
    private boolean isNoiseExpected;
    private boolean isListeningByFile;

    private Settings(Path directory) throws IOException {
      this.directory = Files.createDirectories(directory);
      this.data = directory.resolve("data");
      this.memory = Files.createTempDirectory(memoryRoot(), "forebay-e2e-");
      this.port = Ports.free();
      this.adminPort = Ports.free();
      jvm.add("-Dio.netty.leakDetection.level=paranoid");
    }

    private static Path memoryRoot() {
      Path shared = Path.of("/dev/shm");
      return Files.isWritable(shared) ? shared : Path.of(System.getProperty("java.io.tmpdir"));
    }

    Settings memory(String size) {
      memorySize = size;
      return this;
    }

    Settings threads(int loops) {
      threads = loops;
      return this;
    }

    Settings data(Path directory) {
      data = directory;
      return this;
    }

    /** More arguments of serve. */
    Settings with(String... more) {
      arguments.addAll(List.of(more));
      return this;
    }

    /** Writes the text as its configuration file. */
    Settings config(String yaml) throws IOException {
      Files.writeString(configFile(), yaml);
      return arguments.contains("--config") ? this : with("--config", configFile().toString());
    }

    Path configFile() {
      return directory.resolve("forebay.yaml");
    }

    /** Exactly these JVM options. */
    Settings jvm(String... options) {
      jvm.clear();
      jvm.addAll(List.of(options));
      return this;
    }

    /** The file says where it listens, {@link #port()} among other things. */
    Settings listeningByFile() {
      isListeningByFile = true;
      return this;
    }

    /** A program that ends by executing what follows it. */
    Settings wrapped(String... command) {
      wrapper.addAll(List.of(command));
      return this;
    }

    /** What it meets may well make it log exceptions. */
    Settings noisy() {
      isNoiseExpected = true;
      return this;
    }

    int port() {
      return port;
    }

    int adminPort() {
      return adminPort;
    }

    /** It will not be started, or was not started by these. */
    void discard() throws IOException {
      deleteTree(memory);
    }

    /** Starts it and returns once it is ready. */
    EdgeProcess start() throws Exception {
      return new EdgeProcess(this).start("/readyz");
    }

    /** Starts it and returns once its admin API answers, ready or not. */
    EdgeProcess startUnready() throws Exception {
      return new EdgeProcess(this).start("/healthz");
    }

    List<String> command() {
      List<String> command = new ArrayList<>(wrapper);
      command.add(java());
      command.addAll(jvm);
      command.addAll(List.of("-jar", jar(), "serve"));
      if (!isListeningByFile) {
        option(command, "--listen", "127.0.0.1:" + port);
      }
      option(command, "--admin", "127.0.0.1:" + adminPort);
      option(command, "--memory", memorySize);
      option(command, "--memory-dir", memory.toString());
      option(command, "--data", data.toString());
      option(command, "--threads", Integer.toString(threads));
      option(command, "--pin", "off");
      command.addAll(arguments);
      return command;
    }

    /** Adds an option that was not given otherwise. */
    private void option(List<String> command, String name, String value) {
      if (!arguments.contains(name)) {
        command.addAll(List.of(name, value));
      }
    }
  }

  static Settings in(Path directory) throws IOException {
    return new Settings(directory);
  }

  static Settings in(Path directory, String originUrl) throws IOException {
    return new Settings(directory).with("--origin", originUrl);
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  static String jar() {
    String jar = System.getProperty("forebay.jar");
    Assertions.assertNotNull(jar, "the system property forebay.jar names the packaged jar");
    Assertions.assertTrue(Files.isRegularFile(Path.of(jar)), jar + " is there");
    return jar;
  }

  /** Runs another command of the jar to its end. */
  static Commands.Finished cli(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of(java(), "-XX:TieredStopAtLevel=1", "-jar", jar()));
    command.addAll(List.of(arguments));
    return Commands.run(Duration.ofSeconds(60), command);
  }

  /** Starts it again, after a stop or a kill, as it was started before. */
  EdgeProcess restart() throws Exception {
    return start("/readyz");
  }

  private EdgeProcess start(String until) throws Exception {
    Process started =
        new ProcessBuilder(settings.command())
            .directory(settings.directory.toFile())
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(out.toFile()))
            .redirectError(ProcessBuilder.Redirect.appendTo(err.toFile()))
            .start();
    process = started;
    try {
      Await.until(
          "the edge answers " + until,
          START_LIMIT,
          () -> {
            if (!started.isAlive()) {
              throw new AssertionError(
                  "the edge ended with " + started.exitValue() + ": " + errText() + outText());
            }
            return admin(until).statusCode() == 200;
          });
    } catch (AssertionError failed) {
      close();
      throw failed;
    }
    return this;
  }

  int port() {
    return settings.port;
  }

  int adminPort() {
    return settings.adminPort;
  }

  Path memory() {
    return settings.memory;
  }

  String url(String path) {
    return "http://127.0.0.1:" + settings.port + path;
  }

  String adminUrl() {
    return "http://127.0.0.1:" + settings.adminPort;
  }

  Response get(String target, String... fields) throws IOException {
    return RawClient.get(settings.port, target, fields);
  }

  HttpResponse<String> admin(String path) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(adminUrl() + path))
            .timeout(Duration.ofSeconds(10))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> adminPost(String path, String json)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(adminUrl() + path))
            .timeout(Duration.ofSeconds(10))
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  static JsonNode json(String text) {
    return JSON.readTree(text);
  }

  JsonNode stats() throws IOException, InterruptedException {
    HttpResponse<String> response = admin("/v1/stats");
    Assertions.assertEquals(200, response.statusCode(), response::body);
    return json(response.body());
  }

  Metrics metrics() throws IOException, InterruptedException {
    HttpResponse<String> response = admin("/metrics");
    Assertions.assertEquals(200, response.statusCode(), response::body);
    return Metrics.parse(response.body());
  }

  /** Purges through the admin API, with members of the body as they stand there. */
  JsonNode purge(Map<String, Object> order) throws IOException, InterruptedException {
    HttpResponse<String> response = adminPost("/v1/purge", JSON.writeValueAsString(order));
    Assertions.assertEquals(200, response.statusCode(), response::body);
    return json(response.body());
  }

  void purgeUrl(String path) throws IOException, InterruptedException {
    purge(Map.of("urls", List.of(url(path))));
  }

  long pid() {
    return running().pid();
  }

  boolean isAlive() {
    return running().isAlive();
  }

  /** SIGKILL: no handler, no flush, no goodbye. */
  void kill() throws InterruptedException {
    Process dying = running().destroyForcibly();
    Assertions.assertTrue(dying.waitFor(10, TimeUnit.SECONDS), "SIGKILL did not end the edge");
  }

  /** SIGTERM; the exit code. */
  int terminate() throws InterruptedException {
    running().destroy();
    return terminateAlreadyTold();
  }

  /** Waits for the end of one that was sent a SIGTERM; the exit code. */
  int terminateAlreadyTold() throws InterruptedException {
    Process stopping = running();
    Assertions.assertTrue(
        stopping.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS), "SIGTERM did not end the edge");
    return stopping.exitValue();
  }

  void signal(String name) throws Exception {
    Commands.run("kill", "-" + name, Long.toString(pid())).orFail();
  }

  long rssKib() throws IOException {
    Matcher matcher = RSS.matcher(Files.readString(Path.of("/proc/" + pid() + "/status")));
    Assertions.assertTrue(matcher.find(), "VmRSS in /proc");
    return Long.parseLong(matcher.group(1));
  }

  /** Address space over the files of its memory and data directories. */
  long mappedBytes() throws IOException {
    long bytes = 0;
    for (String line : Files.readAllLines(Path.of("/proc/" + pid() + "/maps"))) {
      if (line.contains(settings.memory.toString()) || line.contains(settings.data.toString())) {
        int dash = line.indexOf('-');
        bytes +=
            Long.parseLong(line, dash + 1, line.indexOf(' '), 16)
                - Long.parseLong(line, 0, dash, 16);
      }
    }
    return bytes;
  }

  /** Open descriptors. */
  long descriptors() throws IOException {
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + pid() + "/fd"))) {
      return entries.count();
    }
  }

  String outText() throws IOException {
    return Files.readString(out, StandardCharsets.ISO_8859_1);
  }

  String errText() throws IOException {
    return Files.readString(err, StandardCharsets.ISO_8859_1);
  }

  private Process running() {
    Process current = process;
    Assertions.assertNotNull(current, "the edge was started");
    return current;
  }

  /** Ends it; fails if it lost a buffer, or logged a stack trace where nothing called for one. */
  @Override
  public void close() throws Exception {
    Process current = process;
    if (current != null && current.isAlive()) {
      current.destroy();
      if (!current.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        current.destroyForcibly().waitFor();
        Assertions.fail("SIGTERM did not end the edge within " + STOP_LIMIT.toSeconds() + " s");
      }
    }
    deleteTree(settings.memory);
    http.close();
    List<String> bad =
        errText()
            .lines()
            .filter(line ->
                line.contains("LEAK:") || (!settings.isNoiseExpected && line.startsWith("\tat ")))
            .toList();
    Assertions.assertTrue(bad.isEmpty(), () -> "the edge logged: " + errTail());
  }

  private String errTail() {
    try {
      String text = errText();
      return text.substring(Math.max(0, text.length() - 8_000));
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }

  static void deleteTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
