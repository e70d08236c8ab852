package io.forebay.cli.store;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/**
 * Lists the devices of a running node's disk tier, and takes them offline and online. Its
 * subcommands inspect stored objects.
 */
@Command(
    name = "store",
    header = "Inspect stored objects, or take a disk of a running node offline or online.",
    sortOptions = false,
    subcommands = {
      StoreInspectCommands.Ls.class,
      StoreInspectCommands.Show.class,
      StoreHot.class,
      StoreInspectCommands.Stat.class,
      StoreInspectCommands.RegionMap.class,
      StoreInspectCommands.Verify.class,
      StoreEvacuate.class,
      StoreOrphans.class
    },
    description = {
      "",
      "list     the disks, with their state and counters (the default)",
      "offline  objects on the disk count as missing; requests continue",
      "online   the disk is used again, with its objects, or empty if it missed changes",
      "reinit   the disk is emptied and used again",
      "replace  another disk, mounted in the place of one out of service, is used",
      "add      a disk that a reload brought into the configuration is used",
      "remove   an evacuated disk is forgotten",
      ""
    },
    footer = {"", "Examples:", "  forebay store map", "  forebay store offline nvme0"})
public final class StoreCommand implements Callable<Integer> {
  /** What to do. */
  enum Action {
    LIST,
    OFFLINE,
    ONLINE,
    REINIT,
    REPLACE,
    ADD,
    REMOVE
  }

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "ACTION",
      defaultValue = "LIST",
      description = "list (the default), offline, online, reinit, replace, add or remove.")
  private Action action = Action.LIST;

  @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "Name of the disk.")
  private @Nullable String name;

  public StoreCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    if ((action == Action.LIST) != (name == null)) {
      throw new CommandException(
          ExitCode.USAGE,
          action == Action.LIST
              ? "list takes no name"
              : action.name().toLowerCase(Locale.ROOT) + " requires the name of a disk");
    }
    JsonNode stores;
    try (AdminClient client = admin.client()) {
      stores =
          name == null
              ? client.get("/v1/stores")
              : client.post(
                  "/v1/stores/" + name, Map.of("action", action.name().toLowerCase(Locale.ROOT)));
    }
    output.json(stores);
    if (stores.path("stores").isEmpty()) {
      output.line("no disks: the node has only the memory tier");
    }
    for (JsonNode store : stores.path("stores")) {
      output.line(line(store));
    }
    if (name != null) {
      output.line(confirmation(action, name));
    }
    return ExitCode.OK;
  }

  static String line(JsonNode store) {
    String state = store.path("state").asString("?");
    if (state.equals("recovering")) {
      state += String.format(Locale.ROOT, " %.0f %%", 100 * store.path("recovered").asDouble(0));
    } else if (state.equals("evacuating")) {
      double progress = store.path("evacuation").path("progress").asDouble(0);
      state += String.format(Locale.ROOT, " %.0f %%", 100 * progress);
    }
    return String.format(
        Locale.ROOT,
        "%-24s %-16s %9s   read %9s   written %9s   buffers %s   errors %d   scrub %s",
        store.path("name").asString("?"),
        state,
        ByteSizes.text(store.path("bytes").asLong(0)),
        ByteSizes.text(store.path("readBytes").asLong(0)),
        ByteSizes.text(store.path("writtenBytes").asLong(0)),
        buffers(store),
        store.path("errors").asLong(0),
        scrub(store.path("scrub")));
  }

  /** Memory of transit buffers, and how much of it is in huge pages. */
  private static String buffers(JsonNode store) {
    long bytes = store.path("transitAllocatedBytes").asLong(0);
    long hugeBytes = store.path("transitHugeBytes").asLong(0);
    return bytes == 0
        ? "none"
        : ByteSizes.text(bytes)
            + (hugeBytes == 0
                ? " in pages of 4 KiB"
                : hugeBytes == bytes
                    ? " in pages of 2 MiB"
                    : ", " + ByteSizes.text(hugeBytes) + " of it in pages of 2 MiB");
  }

  /** What was done, in a sentence. */
  private static String confirmation(Action action, String name) {
    return switch (action) {
      case LIST -> "";
      case OFFLINE -> "disk " + name + " is offline: its objects count as missing";
      case ONLINE -> "disk " + name + " is used again";
      case REINIT -> "disk " + name + " is empty and used";
      case REPLACE -> "disk " + name + " is replaced: the new one is empty and used";
      case ADD -> "disk " + name + " is added";
      case REMOVE -> "disk " + name + " is removed; remove it from the configuration, too";
    };
  }

  private static String scrub(JsonNode scrub) {
    double progress = scrub.path("progress").asDouble(1);
    String last = scrub.path("lastRound").asString("never");
    return String.format(
        Locale.ROOT,
        "%s, complete %s, %d bad",
        progress < 1 ? String.format(Locale.ROOT, "at %.0f %%", 100 * progress) : "waiting",
        last,
        scrub.path("badRecords").asLong(0));
  }
}
