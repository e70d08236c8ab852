package io.forebay.lab.target;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The edge, by its jar. It is read by its admin API only. */
final class ForebayTarget implements Target {
  private static final String MISSING =
      "the edge's jar is not built: mvn -q -Dmaven.test.skip package -pl cache-cli -am, or set "
          + EdgeJar.VARIABLE
          + " to a jar";

  private final Map<String, String> environment;

  /**
   * The edge.
   *
   * @param environment which may name its jar and options of its JVM
   */
  ForebayTarget(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  @Override
  public String name() {
    return "forebay";
  }

  @Override
  public @Nullable String missing() {
    return EdgeJar.find(environment) == null ? MISSING : null;
  }

  @Override
  public String version() throws IOException, InterruptedException {
    return Programs.version(Programs.output(EdgeJar.command(jar(), environment, "--version")));
  }

  private Path jar() throws IOException {
    Path jar = EdgeJar.find(environment);
    if (jar == null) {
      throw new IOException(MISSING);
    }
    return jar;
  }

  @Override
  public RunningTarget start(TargetSpec spec) throws IOException, InterruptedException {
    Path jar = jar();
    return StartedTarget.start(
        spec,
        group -> {
          int port = FreePorts.take(spec.address());
          int admin = FreePorts.take();
          Path directory = spec.directory().toAbsolutePath();
          List<Path> disks = group.diskDirectories(spec);
          Path file = directory.resolve("forebay.yaml");
          Path data = group.directoryAt(directory);
          Path memory = group.memoryDirectory();
          Files.writeString(file, config(spec, port, admin, data, memory, disks));
          List<String> command = new ArrayList<>(Placement.prefix(spec));
          command.addAll(EdgeJar.command(jar, environment, "serve", "--config", file.toString()));
          group.start("forebay", command, Map.of());
          group.await(
              "Forebay is ready",
              () -> StatusPage.isListening(admin) && !StatusPage.get(admin, "/readyz").isEmpty());
          return new StartedTarget(
              StartedTarget.address(spec, port),
              group,
              () -> ForebayStatus.counters(StatusPage.get(admin, "/metrics")),
              () -> ForebayStatus.curve(StatusPage.get(admin, "/v1/stats")));
        });
  }

  /**
   * The limits for one client are off, as the load comes from one address, and more requests may be
   * at the origin. All else that is not said is the default.
   */
  static String config(
      TargetSpec spec, int port, int admin, Path data, Path memory, List<Path> disks) {
    StringBuilder text = new StringBuilder();
    text.append("listen:\n  - name: lab\n    address: \"")
        .append(spec.host() + ":" + port)
        .append("\"\n");
    TargetSpec.Tls tls = spec.tls();
    if (tls != null) {
      text.append("    tls: {certificate: \"")
          .append(tls.certificate().toAbsolutePath())
          .append("\", key: \"")
          .append(tls.key().toAbsolutePath())
          .append("\"}\n");
    }
    if (spec.http3()) {
      text.append("http3: {listeners: [lab]}\n");
    }
    text.append("admin: {address: \"127.0.0.1:").append(admin).append("\"}\n");
    if (spec.loops() > 0) {
      text.append("threads: {loops: ").append(spec.loops()).append("}\n");
    }
    text.append("store:\n")
        .append("  data: \"" + data + "\"\n")
        .append("  memory: " + spec.memoryBytes() + "\n")
        .append("  memory-directory: \"" + memory + "\"\n")
        .append("  disk-stop-limit: 0s\n");
    if (!disks.isEmpty()) {
      text.append("stores:\n");
      for (int i = 0; i < disks.size(); i++) {
        text.append("  disk-" + (i + 1) + ": {path: \"" + disks.get(i) + "\", size: ")
            .append(spec.diskBytes() / disks.size())
            .append("}\n");
      }
    }
    return text.append("origins:\n")
        .append("  lab: {url: \"http://" + spec.originAddress() + "\", max-connections: 4096}\n")
        .append("limits: {connections-per-address: 0, waiting-per-client: 0,")
        .append(" fetches-per-client: 0}\n")
        .append("timeouts: {drain: 0s}\n")
        .toString();
  }
}
