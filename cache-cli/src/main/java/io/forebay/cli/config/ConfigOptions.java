package io.forebay.cli.config;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.server.config.ConfigEnvironment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command-line options for the configuration of a node: the file, and the most common keys. */
public final class ConfigOptions {
  private static final Set<String> OWN_VARIABLES =
      Set.of(
          "FOREBAY_ADMIN_URL",
          "FOREBAY_AOT_CACHE",
          "FOREBAY_DEBUG",
          "FOREBAY_JAVA_OPTS",
          "FOREBAY_JDK_PATH",
          "FOREBAY_LOG_LEVEL");

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description =
          "YAML file; default ./forebay.yaml, else /etc/forebay/forebay.yaml, if it exists.")
  @Nullable
  public Path file;

  @Option(names = "--origin", paramLabel = "URL", description = "Origin for all hosts.")
  @Nullable String origin;

  @Option(
      names = "--listen",
      paramLabel = "ADDR",
      description = "host:port to listen on for HTTP; default :8080, on all addresses.")
  @Nullable String listen;

  @Option(
      names = "--listen-tls",
      paramLabel = "ADDR",
      description = "host:port to listen on for HTTPS; requires --cert and --key.")
  @Nullable String listenTls;

  @Option(names = "--cert", paramLabel = "FILE", description = "Certificate chain, PEM.")
  @Nullable String certificate;

  @Option(names = "--key", paramLabel = "FILE", description = "Private key, PEM.")
  @Nullable String key;

  @Option(
      names = "--admin",
      paramLabel = "ADDR",
      description = "host:port or unix:FILE of the admin API and metrics; default 127.0.0.1:8081.")
  @Nullable String admin;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "Size of the memory tier, such as 48GiB, or its share of memory, such as 60%%.")
  @Nullable String memory;

  @Option(
      names = "--memory-dir",
      paramLabel = "DIR",
      description =
          "tmpfs or hugetlbfs directory for the memory tier; too little space is an error.")
  @Nullable String memoryDirectory;

  @Option(
      names = "--tier",
      paramLabel = "DIR:SIZE",
      description =
          "Directory and size of a tier of memory before the disks, such as /mnt/cxl/forebay:64GiB;"
              + " repeatable, the fastest first.")
  List<String> tiers = List.of();

  @Option(
      names = "--disk",
      paramLabel = "DIR:SIZE",
      description =
          "Directory and size of a device of the disk tier, such as /mnt/nvme0:800GiB; repeatable.")
  List<String> disks = List.of();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Directory of the purge journal, the store's identity and its lock.")
  @Nullable String data;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Number of event loops; default one per CPU available to the process.")
  @Nullable String threads;

  @Option(
      names = "--pin",
      paramLabel = "PIN",
      description = "CPUs that event loops are pinned to: auto, off, or a list such as 0,2.")
  @Nullable String pin;

  @Option(
      names = "--access-log",
      paramLabel = "OUT",
      description = "JSON access log: off, stdout or a file.")
  @Nullable String accessLog;

  public ConfigOptions() {}

  /** The options given, by the configuration key each stands for. */
  public Map<String, String> given() {
    Map<String, String> given = new LinkedHashMap<>();
    put(given, "origin", origin);
    put(given, "listen", listen);
    put(given, "tls.listen", listenTls);
    put(given, "tls.certificate", certificate);
    put(given, "tls.key", key);
    put(given, "admin.address", admin);
    put(given, "store.memory", memory);
    put(given, "store.memory-directory", memoryDirectory);
    put(given, "store.tiers", tiers.isEmpty() ? null : String.join(",", tiers));
    put(given, "store.data", data);
    for (String disk : disks) {
      putDisk(given, disk);
    }
    put(given, "threads.loops", threads);
    put(given, "threads.pin", pin);
    put(given, "access-log.output", accessLog);
    return given;
  }

  /** The machine without the variables that are ours to read and no keys of a node. */
  public ConfigEnvironment environment() {
    ConfigEnvironment system = ConfigEnvironment.system();
    Map<String, String> variables = new LinkedHashMap<>(system.variables());
    variables.keySet().removeAll(OWN_VARIABLES);
    return new ConfigEnvironment(
        variables,
        system.workingDirectory(),
        system.systemFile(),
        system.systemData(),
        system.home(),
        system.nodeId());
  }

  /** A device is known by its path, so that the order of the options means nothing. */
  private static void putDisk(Map<String, String> given, String disk) {
    int colon = disk.lastIndexOf(':');
    if (colon <= 0 || colon == disk.length() - 1) {
      throw new CommandException(
          ExitCode.USAGE, "--disk " + disk + " must be DIR:SIZE, such as /mnt/nvme0:800GiB");
    }
    String path = disk.substring(0, colon);
    String name = diskName(path);
    put(given, "stores." + name + ".path", path);
    put(given, "stores." + name + ".size", disk.substring(colon + 1));
  }

  public static String diskName(String path) {
    return path.replaceAll("[^A-Za-z0-9]+", "-").replaceAll("^-+|-+$", "");
  }

  private static void put(Map<String, String> given, String key, @Nullable String value) {
    if (value != null) {
      given.put(key, value);
    }
  }
}
