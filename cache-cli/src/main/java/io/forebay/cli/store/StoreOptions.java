package io.forebay.cli.store;

import io.forebay.cli.config.ConfigOptions;
import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that select the store: that of a running node, or files that no process has open. */
final class StoreOptions {
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Option(
      names = "--data",
      order = 70,
      paramLabel = "DIR",
      description = "Read the files of a stopped node: its data directory.")
  private @Nullable Path data;

  @Option(
      names = "--memory-dir",
      order = 71,
      paramLabel = "DIR",
      description = "With --data: directory of the memory tier, if not the default.")
  private @Nullable Path memoryDirectory;

  @Option(
      names = "--tier",
      order = 72,
      paramLabel = "DIR",
      description =
          "With --data: directory of a middle tier; repeatable, in the order of the node.")
  private List<String> tiers = List.of();

  @Option(
      names = "--disk",
      order = 73,
      paramLabel = "DIR",
      description = "With --data: directory of a disk; repeatable.")
  private List<String> disks = List.of();

  StoreOptions() {}

  boolean isAtRest() {
    return data != null;
  }

  AdminClient client() {
    return admin.client();
  }

  StoreSource open() {
    if (data == null) {
      if (memoryDirectory != null || !tiers.isEmpty() || !disks.isEmpty()) {
        throw new CommandException(
            ExitCode.USAGE, "--memory-dir, --tier and --disk require --data");
      }
      return new StoreSource.Running(admin.client());
    }
    Map<String, Path> places = new LinkedHashMap<>();
    for (String disk : disks) {
      String path = withoutSize(disk);
      places.put(ConfigOptions.diskName(path), Path.of(path));
    }
    List<Path> middle = tiers.stream().map(tier -> Path.of(withoutSize(tier))).toList();
    return StoreSource.Resting.open(data, memoryDirectory, middle, places);
  }

  /** As serve takes it, with the size behind a colon. */
  private static String withoutSize(String place) {
    return place.replaceAll(":[0-9][0-9A-Za-z.]*$", "");
  }
}
