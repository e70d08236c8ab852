package io.forebay.cli.store;

import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.storage.file.DefaultMemoryDirectory;
import io.forebay.storage.recover.OrphanedTiers;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Lists and removes memory directories whose data directory is gone; they take memory until they
 * are removed.
 */
@Command(
    name = "orphans",
    header = "List or remove memory tiers in /dev/shm that no node will use again.",
    sortOptions = false,
    description = {
      "",
      "Checks the directories that Forebay created in /dev/shm for this user. One is an orphan if"
          + " its",
      "data directory is gone or names another memory directory, and no process holds its lock.",
      "Memory directories named by a configuration are not checked.",
      ""
    },
    footer = {"", "Example:", "  forebay store orphans --remove"})
final class StoreOrphans implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();

  @Option(names = "--remove", description = "Remove the orphans and their contents.")
  private boolean isRemoving;

  private final OrphanedTiers tiers;

  StoreOrphans() {
    this(DefaultMemoryDirectory.system());
  }

  StoreOrphans(DefaultMemoryDirectory places) {
    this.tiers = new OrphanedTiers(places);
  }

  @Override
  public Integer call() {
    Output output = common.output();
    boolean isDone = true;
    try {
      List<OrphanedTiers.Orphan> orphans = tiers.find();
      if (orphans.isEmpty()) {
        output.line("no orphans");
      }
      for (OrphanedTiers.Orphan orphan : orphans) {
        boolean isRemoved = isRemoving && tiers.remove(orphan);
        isDone &= isRemoved || !isRemoving;
        output.json(
            Map.of(
                "directory", orphan.directory().toString(),
                "bytes", orphan.bytes(),
                "data", orphan.data().toString(),
                "why", orphan.why(),
                "removed", isRemoved));
        output.line(
            orphan.directory()
                + "  "
                + ByteSizes.text(orphan.bytes())
                + "  of "
                + orphan.data()
                + ": "
                + orphan.why()
                + (isRemoved ? "; removed" : isRemoving ? "; now in use, not removed" : ""));
      }
    } catch (IOException e) {
      throw new CommandException(ExitCode.FAILURE, String.valueOf(e.getMessage()));
    }
    return isDone ? ExitCode.OK : ExitCode.FAILURE;
  }
}
