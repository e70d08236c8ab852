package io.forebay.testing;

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
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The packaged jar as a child process on the Java that runs the test. Ports and directories stay
 * the same over restarts; closing ends it and removes its memory files.
 */
@SuppressWarnings("try") // a test that is interrupted ends
public final class EdgeProcess implements AutoCloseable {

  /**
   * What a shell runs in the background, or nohup, ignores INT or HUP, and a Java process that is
   * started so goes on ignoring it.
   */
  private static final List<String> HEEDS_SIGNALS = List.of("env", "--default-signal=HUP,INT");

  private static final Duration START_LIMIT = Duration.ofSeconds(40);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(1);

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
  public static final class Settings {
    private final Path jar;
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
    private boolean isAllByFile;
    private String host = "127.0.0.1";
    private @Nullable String token;

    private Settings(Path directory, Path jar) throws IOException {
      this.jar = jar;
      this.directory = Files.createDirectories(directory);
      this.data = directory.resolve("data");
      this.memory = Directories.inMemory("forebay-e2e-");
      this.port = Ports.free();
      this.adminPort = Ports.free();
      jvm.add("-Dio.netty.leakDetection.level=paranoid");
      jvm.addAll(Jar.savingCpu());
      if (jar.equals(Jar.file())) {
        jvm.addAll(Jar.aotCache());
      }
    }

    public Settings memory(String size) {
      memorySize = size;
      return this;
    }

    public Settings threads(int loops) {
      threads = loops;
      return this;
    }

    public Settings data(Path directory) {
      data = directory;
      return this;
    }

    /** More arguments of serve. */
    public Settings with(String... more) {
      arguments.addAll(List.of(more));
      return this;
    }

    /** The most that its heap takes. */
    public Settings heap(String size) {
      jvm.add("-Xmx" + size);
      return this;
    }

    /** By a Java that compiles quickly, and looks for lost buffers now and then: one of several. */
    public Settings quick() {
      jvm.addAll(List.of(Jar.ONE_COMPILER, "-Dio.netty.leakDetection.level=simple"));
      return this;
    }

    /**
     * It listens on another address than loopback. Requests to its admin API have this token, which
     * its configuration has to name.
     */
    public Settings at(String address, String adminToken) {
      host = address;
      token = adminToken;
      return this;
    }

    /** Writes the text as its configuration file. */
    public Settings config(String yaml) throws IOException {
      Files.writeString(configFile(), yaml);
      return arguments.contains("--config") ? this : with("--config", configFile().toString());
    }

    public Path configFile() {
      return directory.resolve("forebay.yaml");
    }

    /** Exactly these JVM options. */
    public Settings jvm(String... options) {
      jvm.clear();
      jvm.addAll(List.of(options));
      return this;
    }

    /** The file says where it listens, {@link #port()} among other things. */
    public Settings listeningByFile() {
      isListeningByFile = true;
      return this;
    }

    /**
     * The file says everything: where it listens, {@link #adminPort()} and {@link
     * #memoryDirectory()} too.
     */
    public Settings allByFile() {
      isAllByFile = true;
      return this;
    }

    /** A program that ends by executing what follows it. */
    public Settings wrapped(String... command) {
      wrapper.addAll(List.of(command));
      return this;
    }

    /** What it meets may well make it log exceptions. */
    public Settings noisy() {
      isNoiseExpected = true;
      return this;
    }

    public int port() {
      return port;
    }

    public int adminPort() {
      return adminPort;
    }

    /** Where its memory tier is; deleted when it is closed. */
    public Path memoryDirectory() {
      return memory;
    }

    /** It will not be started, or was not started by these. */
    public void discard() throws IOException {
      Directories.delete(memory);
    }

    /** Starts it and returns once it is ready. */
    public EdgeProcess start() throws Exception {
      return new EdgeProcess(this).start("/readyz");
    }

    /** Starts it and returns once its admin API answers, ready or not. */
    public EdgeProcess startUnready() throws Exception {
      return new EdgeProcess(this).start("/healthz");
    }

    public List<String> command() {
      List<String> command = new ArrayList<>(wrapper);
      command.add(Jar.java().toString());
      command.addAll(jvm);
      command.addAll(List.of("-jar", jar.toString(), "serve"));
      if (!isAllByFile) {
        addDefaults(command);
      }
      command.addAll(arguments);
      return command;
    }

    private void addDefaults(List<String> command) {
      if (!isListeningByFile) {
        option(command, "--listen", host + ":" + port);
      }
      option(command, "--admin", host + ":" + adminPort);
      option(command, "--memory", memorySize);
      option(command, "--memory-dir", memory.toString());
      option(command, "--data", data.toString());
      option(command, "--threads", Integer.toString(threads));
      option(command, "--pin", "off");
    }

    /** Adds an option that was not given otherwise. */
    private void option(List<String> command, String name, String value) {
      if (!arguments.contains(name)) {
        command.addAll(List.of(name, value));
      }
    }
  }

  /** One that keeps all in the directory but its memory tier. */
  public static Settings in(Path directory) throws IOException {
    return of(Jar.file(), directory);
  }

  /** The same in front of an origin. */
  public static Settings in(Path directory, String originUrl) throws IOException {
    return in(directory).with("--origin", originUrl);
  }

  /** One from a jar that no system property names. */
  public static Settings of(Path jar, Path directory) throws IOException {
    return new Settings(directory, jar);
  }

  /** Starts it again, after a stop or a kill, as it was started before. */
  public EdgeProcess restart() throws Exception {
    return start("/readyz");
  }

  /** The same; it returns once its admin API answers, ready or not. */
  public EdgeProcess restartUnready() throws Exception {
    return start("/healthz");
  }

  private EdgeProcess start(String until) throws Exception {
    List<String> command = new ArrayList<>(HEEDS_SIGNALS);
    command.addAll(settings.command());
    Process started =
        new ProcessBuilder(command)
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

  public int port() {
    return settings.port;
  }

  public int adminPort() {
    return settings.adminPort;
  }

  public Path memory() {
    return settings.memory;
  }

  public String url(String path) {
    return "http://" + settings.host + ":" + settings.port + path;
  }

  public String adminUrl() {
    return "http://" + settings.host + ":" + settings.adminPort;
  }

  /** From a node on loopback. */
  public Response get(String target, String... fields) throws IOException {
    return RawClient.get(settings.port, target, fields);
  }

  public HttpResponse<String> admin(String path) throws IOException, InterruptedException {
    return http.send(adminRequest(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest.Builder adminRequest(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(adminUrl() + path)).timeout(Duration.ofSeconds(10));
    return settings.token == null
        ? request
        : request.header("authorization", "Bearer " + settings.token);
  }

  public HttpResponse<String> adminPost(String path, String json)
      throws IOException, InterruptedException {
    return http.send(
        adminRequest(path)
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  public Metrics metrics() throws IOException, InterruptedException {
    HttpResponse<String> response = admin("/metrics");
    if (response.statusCode() != 200) {
      throw new AssertionError(response.statusCode() + ": " + response.body());
    }
    return Metrics.parse(response.body());
  }

  public long pid() {
    return running().pid();
  }

  public boolean isAlive() {
    return running().isAlive();
  }

  /** SIGKILL: no handler, no flush, no goodbye. */
  public void kill() throws InterruptedException {
    Process dying = running().destroyForcibly();
    if (!dying.waitFor(10, TimeUnit.SECONDS)) {
      throw new AssertionError("SIGKILL did not end the edge");
    }
  }

  /** SIGTERM; the exit code. */
  public int terminate() throws InterruptedException {
    running().destroy();
    return terminateAlreadyTold();
  }

  /** Waits for the end of one that was sent a SIGTERM; the exit code. */
  public int terminateAlreadyTold() throws InterruptedException {
    Process stopping = running();
    if (!stopping.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("SIGTERM did not end the edge");
    }
    return stopping.exitValue();
  }

  public void signal(String name) throws Exception {
    Commands.run("kill", "-" + name, Long.toString(pid())).orFail();
  }

  /** Its resident memory, mapped files included. */
  public long rssKib() throws IOException {
    return status("VmRSS");
  }

  /** Its resident memory that belongs to no file: heap, direct buffers, stacks. */
  public long anonymousKib() throws IOException {
    return status("RssAnon");
  }

  private long status(String name) throws IOException {
    String status = Files.readString(Path.of("/proc/" + pid() + "/status"));
    Matcher matcher = Pattern.compile(name + ":\\s+([0-9]+) kB").matcher(status);
    if (!matcher.find()) {
      throw new AssertionError("no " + name + " in /proc");
    }
    return Long.parseLong(matcher.group(1));
  }

  /** Address space over the files of its memory and data directories. */
  public long mappedBytes() throws IOException {
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
  public long descriptors() throws IOException {
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + pid() + "/fd"))) {
      return entries.count();
    }
  }

  public String outText() throws IOException {
    return Files.readString(out, StandardCharsets.ISO_8859_1);
  }

  public String errText() throws IOException {
    return Files.readString(err, StandardCharsets.ISO_8859_1);
  }

  private Process running() {
    Process current = process;
    if (current == null) {
      throw new AssertionError("the edge was not started");
    }
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
        throw new AssertionError(
            "SIGTERM did not end the edge within " + STOP_LIMIT.toSeconds() + " s");
      }
    }
    Directories.delete(settings.memory);
    http.close();
    List<String> bad =
        errText()
            .lines()
            .filter(line ->
                line.contains("LEAK:") || (!settings.isNoiseExpected && line.startsWith("\tat ")))
            .toList();
    if (!bad.isEmpty()) {
      throw new AssertionError("the edge logged: " + errTail());
    }
  }

  private String errTail() {
    try {
      String text = errText();
      return text.substring(Math.max(0, text.length() - 8_000));
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }
}
