package io.forebay.cli.bundle;

import io.forebay.cli.config.ConfigOptions;
import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.ProgressDisplay;
import io.forebay.cli.console.Terminal;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigOutcome.Loaded;
import io.forebay.server.config.ConfigOutcome.Refused;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.config.ConfigView;
import io.forebay.server.config.ProxyConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Puts everything about a node in trouble into one file, without secrets. */
@Command(
    name = "bundle",
    header = "Collect configuration, metrics, stacks and a flame graph of a node in one file.",
    sortOptions = false,
    description = {
      "",
      "The file has no secrets: every part is redacted. What cannot be collected is listed in its"
          + " manifest.json with the reason, so a node that is dead or does not answer has a bundle,"
          + " too. Look through it before you hand it on: it has names of hosts and paths of URLs.",
      "",
      "Threads and samples need the user of the node, or root.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 everything was collected, 3 something was not.",
      "",
      "Example:",
      "  forebay bundle --config /etc/forebay/forebay.yaml --output /tmp/node-7.zip"
    })
public final class BundleCommand implements Callable<Integer> {
  private static final int MAX_SECONDS = 60;
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration MOST = Duration.ofMinutes(2);
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final ConfigOptions options = new ConfigOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "File to create; default forebay-bundle-TIME.zip here. It must not exist.")
  private @Nullable Path file;

  @Option(
      names = "--log",
      paramLabel = "FILE",
      description =
          "File of the node's log; repeatable. Default: where its process writes, or the journal.")
  private List<Path> logs = new ArrayList<>();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long to record, 1 to 60; default 10.")
  private int seconds = 10;

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "Process of the node; default: the one that listens on the admin address.")
  private @Nullable Long pid;

  public BundleCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw new CommandException(ExitCode.USAGE, "--seconds must be 1 to " + MAX_SECONDS);
    }
    Output output = common.output();
    Instant now = Instant.now();
    Path target =
        (file == null ? Path.of("forebay-bundle-" + NAME.format(now) + ".zip") : file)
            .toAbsolutePath();
    ConfigOutcome outcome =
        new ConfigLoader(options.environment()).load(options.file, options.given());
    Loaded config = outcome instanceof Loaded loaded ? loaded : null;
    try (AdminClient client = admin.client(PATIENCE)) {
      NodeProcess process =
          pid == null
              ? NodeProcess.listeningOn(client.base(), Path.of("/proc"))
              : new NodeProcess(pid);
      Map<String, Object> facts = new LinkedHashMap<>();
      facts.put("admin", client.base().toString());
      facts.put("pid", process == null ? "" : Long.toString(process.pid()));
      Bundle bundle = create(target, new Redactor(secrets(config, client.token())), now, facts);
      try (bundle) {
        if (outcome instanceof Refused refused) {
          bundle.missing(
              "config/local",
              String.join(
                  "; ", refused.problems().stream().map(ConfigProblem::text).limit(20).toList()));
        }
        Collector collector =
            new Collector(
                bundle,
                client,
                config,
                process,
                logs,
                Duration.ofSeconds(seconds),
                System::nanoTime,
                Thread::sleep);
        collect(collector, output);
      }
      return report(output, bundle);
    }
  }

  private static Bundle create(
      Path target, Redactor redactor, Instant now, Map<String, Object> facts) throws IOException {
    try {
      return new Bundle(target, redactor, now, facts);
    } catch (FileAlreadyExistsException exists) {
      throw new CommandException(ExitCode.USAGE, target + " exists; name another --output", exists);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.FAILURE, target + " cannot be created: " + CommandException.reason(e), e);
    }
  }

  private void collect(Collector collector, Output output) throws InterruptedException {
    if (output.isJson() || !Terminal.isError()) {
      collector.collect(MOST, (done, total, part) -> {});
      return;
    }
    try (ProgressDisplay progress =
        new ProgressDisplay(common.spec.commandLine().getErr(), "bundle", "", 1)) {
      collector.collect(MOST, progress::show);
    }
  }

  private static int report(Output output, Bundle bundle) throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("file", bundle.file().toString());
    json.put("bytes", Files.size(bundle.file()));
    json.put("missing", bundle.missing());
    output.json(json);
    output.line(bundle.file().toString());
    if (!output.isJson()) {
      bundle
          .missing()
          .forEach((what, why) -> output.note("forebay: not in the bundle: " + what + ": " + why));
    }
    return bundle.missing().isEmpty() ? ExitCode.OK : ExitCode.PARTIAL;
  }

  /** All that are known here: of the configuration, its files, the environment and the token. */
  private static Set<String> secrets(@Nullable Loaded config, @Nullable String token) {
    Set<String> secrets = new LinkedHashSet<>();
    if (token != null) {
      secrets.add(token);
    }
    System.getenv()
        .forEach((name, value) -> {
          // A name of a file stands there for what is in the file.
          if (Redactor.isSecretName(name) && !value.startsWith("/")) {
            secrets.add(value);
          }
        });
    if (config != null) {
      secrets.addAll(ConfigView.secrets(config.config()));
      for (OriginConfig origin : config.config().origins()) {
        ProxyConfig proxy = origin.egress().proxy();
        if (proxy != null) {
          secrets.add(proxy.password());
        }
      }
    }
    return secrets;
  }
}
