package io.forebay.server.config;

import io.forebay.server.counters.PluginCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Loads a {@link ServerConfig} from defaults, one file, the environment and options, each
 * overriding the one before. It reports all problems at once, and rejects a configuration with any
 * problem entirely.
 */
public final class ConfigLoader {
  /** Names the directory of a document of the fleet. */
  private static final String FLEET = "FLEET";

  /** Keys that a node needs before it has a document. */
  private static final Pattern OWN =
      Pattern.compile("cluster(\\..*)?|store\\.data|forwarding\\.node-id|include");

  private final ConfigEnvironment environment;
  private final MountTable mounts;

  /** Over all loads: counters of plugins go on after a reload. */
  private final Map<String, PluginCounters> pluginCounters = new ConcurrentHashMap<>();

  public ConfigLoader(ConfigEnvironment environment) {
    this(environment, MountTable.system());
  }

  ConfigLoader(ConfigEnvironment environment, MountTable mounts) {
    this.environment = environment;
    this.mounts = mounts;
  }

  /**
   * Loads a configuration.
   *
   * @param named file named by the operator, or null to look in the usual places
   * @param options values by key path, such as {@code store.memory}; they win over all else
   */
  public ConfigOutcome load(@Nullable Path named, Map<String, String> options) {
    return load(named, options, (ConfigText.Fleet) null);
  }

  /** The same with a document of the fleet; null for none. */
  public ConfigOutcome load(
      @Nullable Path named, Map<String, String> options, ConfigText.@Nullable Fleet fleet) {
    Path file = named != null ? named : usualFile();
    List<ConfigProblem> problems = new ArrayList<>();
    String text = file == null ? null : read(file, problems);
    return load(file, text, options, problems, ConfigFiles.SYSTEM, null, fleet);
  }

  /**
   * What a node needs to get the document of its fleet, though the rest of its configuration may be
   * in that document; null where it is in no cluster, or its own part is wrong.
   */
  public @Nullable FleetBootstrap bootstrap(@Nullable Path named, Map<String, String> options) {
    Path file = named != null ? named : usualFile();
    List<ConfigProblem> problems = new ArrayList<>();
    ConfigValues values = new ConfigValues(environment.variables(), problems, new ArrayList<>());
    String text = file == null ? null : read(file, problems);
    if (file != null && text != null) {
      ConfigTree tree = new YamlReader(file.toString(), problems).read(text);
      if (tree != null) {
        values.putFile(new ConfigIncludes(ConfigFiles.SYSTEM, values, problems).join(file, tree));
      }
    }
    values.putEnvironment();
    values.putOptions(options);
    if (values.get("cluster.name") == null) {
      return null;
    }
    ServerConfig config = binder(values, problems).bind();
    config.plugins().set().close();
    ClusterConfig cluster = config.cluster();
    boolean isWrong = problems.stream().anyMatch(problem -> OWN.matcher(problem.path()).matches());
    return cluster == null || isWrong
        ? null
        : new FleetBootstrap(cluster, config.forwarding().nodeId(), config.store().data());
  }

  private ConfigBinder binder(ConfigValues values, List<ConfigProblem> problems) {
    return new ConfigBinder(
        values,
        environment,
        problems,
        name -> pluginCounters.computeIfAbsent(name, any -> new PluginCounters()));
  }

  /**
   * Loads a configuration for a rehearsal: {@link StandIns} take the place of all that it names
   * outside of itself. Its keys are checked before that, certificates and disks are not.
   */
  public ConfigOutcome load(@Nullable Path named, Map<String, String> options, StandIns standIns) {
    List<ConfigProblem> problems = new ArrayList<>();
    Path file = named != null ? named : usualFile();
    String text = file == null ? null : read(file, problems);
    return load(file, text, options, problems, ConfigFiles.SYSTEM, standIns, null);
  }

  /**
   * Loads a configuration as if the file, and those that it includes, had other texts.
   *
   * @param texts of the file; empty for a configuration without one
   */
  public ConfigOutcome load(@Nullable Path named, Map<String, String> options, ConfigText texts) {
    String text = texts.main();
    Path file = named != null ? named : usualFile();
    if (file == null && !text.isEmpty()) {
      file = environment.systemFile();
    }
    return load(
        text.isEmpty() ? null : file,
        text,
        options,
        new ArrayList<>(),
        ConfigFiles.of(texts.included()),
        null,
        texts.fleet());
  }

  private ConfigOutcome load(
      @Nullable Path file,
      @Nullable String text,
      Map<String, String> options,
      List<ConfigProblem> problems,
      ConfigFiles files,
      @Nullable StandIns standIns,
      ConfigText.@Nullable Fleet fleet) {
    List<String> warnings = new ArrayList<>();
    ConfigValues values = new ConfigValues(variables(fleet), problems, warnings);
    ConfigIncludes includes = new ConfigIncludes(files, values, problems);
    boolean isFileUnknown = false;
    if (file != null || fleet != null) {
      Path main = file == null ? Path.of("") : file;
      ConfigTree tree = text == null ? null : new YamlReader(main.toString(), problems).read(text);
      if (tree == null && fleet != null && problems.isEmpty()) {
        tree = new ConfigTree.Mapping(new SourceLocation(main.toString(), 0, 0), List.of());
      }
      if (tree != null) {
        values.putFile(includes.join(main, tree, fleet));
      }
      isFileUnknown = (values.isEmpty() && !problems.isEmpty()) || includes.isIncomplete();
    }
    if (fleet != null) {
      values.refuseOwnKeys(includes::isOfFleet);
    }
    values.putEnvironment();
    values.putOptions(options);
    if (standIns != null) {
      new Rehearsal(values, standIns).apply();
    }
    ConfigBinder binder = binder(values, problems);
    if (isFileUnknown) {
      // Nothing is known of its keys: what would now seem to be missing may well stand in it.
      return refused(problems, includes);
    }
    ServerConfig config = binder.bind();
    if (problems.isEmpty()) {
      warnOfDisk(config, warnings);
      warnOfRoot(config, warnings);
    } else {
      config.plugins().set().close();
    }
    return problems.isEmpty()
        ? new ConfigOutcome.Loaded(
            config,
            file,
            new ConfigText(text == null ? "" : text, includes.included(), fleet),
            values.files().all(),
            Map.copyOf(binder.sources()),
            List.copyOf(warnings))
        : refused(problems, includes);
  }

  /** In a document of the fleet, {@code ${FLEET}} is where its files are. */
  private Map<String, String> variables(ConfigText.@Nullable Fleet fleet) {
    if (fleet == null) {
      return environment.variables();
    }
    Map<String, String> all = new HashMap<>(environment.variables());
    all.put(FLEET, String.valueOf(Path.of(fleet.file()).getParent()));
    return all;
  }

  /** A loop that touches a page of the memory tier would wait for the disk (I4). */
  private void warnOfDisk(ServerConfig config, List<String> warnings) {
    Path directory = config.store().memoryDirectory();
    String type = directory == null ? null : mounts.diskUnder(directory);
    if (type != null) {
      warnings.add(
          "store.memory-directory: "
              + directory
              + " is on "
              + type
              + ", not in memory, so requests may wait for that disk: use a"
              + " directory on a tmpfs, such as /dev/shm, or omit the key");
    }
    for (ServerConfig.TierConfig tier : config.store().tiers()) {
      String typeOfTier = mounts.diskUnder(tier.path());
      if (typeOfTier != null) {
        warnings.add(
            "store.tiers: "
                + tier.path()
                + " is on "
                + typeOfTier
                + ", not in memory, so requests may wait for that disk: use a directory on a tmpfs,"
                + " hugetlbfs or DAX mount, or move it to stores");
      }
    }
  }

  /** A disk that is not mounted leaves its mount point, an empty directory, on the root device. */
  private void warnOfRoot(ServerConfig config, List<String> warnings) {
    for (ServerConfig.DiskConfig disk : config.stores()) {
      if (mounts.isOnRoot(disk.path())) {
        warnings.add(
            "stores."
                + disk.name()
                + ".path: "
                + disk.path()
                + " is on the root file system: if it should be a disk, that disk is not mounted");
      }
    }
  }

  /** In the order of the files, then the rest as they were found. */
  private static ConfigOutcome refused(List<ConfigProblem> problems, ConfigIncludes includes) {
    // A value that several keys depend on is read, and refused, for each.
    List<ConfigProblem> sorted = new ArrayList<>(new LinkedHashSet<>(problems));
    sorted.sort(
        Comparator.comparingInt((ConfigProblem p) -> includes.order(p.source()))
            .thenComparingInt(p -> p.line() > 0 ? p.line() : Integer.MAX_VALUE)
            .thenComparingInt(ConfigProblem::column));
    return new ConfigOutcome.Refused(List.copyOf(sorted));
  }

  /** The file that is read if the operator names none; null where there is none. */
  public @Nullable Path usualFile() {
    Path local = environment.workingDirectory().resolve("forebay.yaml");
    if (Files.exists(local)) {
      return local;
    }
    return Files.exists(environment.systemFile()) ? environment.systemFile() : null;
  }

  private static @Nullable String read(Path file, List<ConfigProblem> problems) {
    try {
      return ConfigFiles.SYSTEM.read(file);
    } catch (IOException e) {
      problems.add(
          new ConfigProblem(file.toString(), 0, 0, "", "cannot be read: " + e.getMessage(), ""));
      return null;
    }
  }
}
