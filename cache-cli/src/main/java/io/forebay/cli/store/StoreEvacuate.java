package io.forebay.cli.store;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.ProgressDisplay;
import io.forebay.cli.console.Terminal;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Empties a disk of a running node, and waits until it can be pulled. */
@Command(
    name = "evacuate",
    header = "Move what a disk holds elsewhere, until it is empty and can be pulled.",
    sortOptions = false,
    description = {
      "",
      "The node writes nothing more to the disk and continues to serve from it. What was requested"
          + " since it was written, or is of a pinned storage class, moves to the other disks;"
          + " everything else moves as long as they have free space. Without another disk, up to"
          + " a quarter of memory takes what was requested.",
      "",
      "The evacuation continues after Ctrl-C and after a restart of the node. Afterwards the disk"
          + " is out of service and its file is closed: it can be unmounted. 'store online' uses"
          + " it again, 'store replace' another disk in its place.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 the disk is empty (with --no-wait: the evacuation has begun), 1 it failed, for"
          + " example",
      "because the disk went out of service.",
      "",
      "Examples:",
      "  forebay store evacuate nvme0",
      "  forebay store evacuate nvme0 --cancel"
    })
final class StoreEvacuate implements Callable<Integer> {
  private static final long POLL_NANOS = 500_000_000;
  private static final int PERCENT = 100;

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(index = "0", paramLabel = "NAME", description = "Name of the disk.")
  private String name = "";

  @Option(names = "--cancel", description = "Use the disk again; what has moved stays where it is.")
  private boolean isCancelling;

  @Option(names = "--no-wait", description = "Return once the evacuation has begun.")
  private boolean isNotWaiting;

  StoreEvacuate() {}

  @Override
  public Integer call() {
    Output output = common.output();
    try (AdminClient client = admin.client()) {
      JsonNode store =
          disk(
              client.post(
                  "/v1/stores/" + name,
                  Map.of("action", isCancelling ? "cancel-evacuation" : "evacuate")));
      if (!isCancelling && !isNotWaiting) {
        store = await(output, client, store);
      }
      output.json(store);
      output.line(StoreCommand.line(store));
      String state = state(store);
      if (!isCancelling && !isNotWaiting && !state.equals("evacuated")) {
        throw new CommandException(
            ExitCode.FAILURE,
            "disk " + name + " is " + state + ": it was not evacuated to the end");
      }
      output.line(result(store));
    }
    return ExitCode.OK;
  }

  private JsonNode await(Output output, AdminClient client, JsonNode begun) {
    JsonNode store = begun;
    boolean isWatched = !output.isJson() && Terminal.isError();
    @Nullable ProgressDisplay progress =
        isWatched
            ? new ProgressDisplay(common.spec.commandLine().getErr(), "evacuate", " %", 1)
            : null;
    try {
      while (state(store).equals("evacuating")) {
        LockSupport.parkNanos(POLL_NANOS);
        store = disk(client.get("/v1/stores"));
        if (progress != null) {
          JsonNode evacuation = store.path("evacuation");
          progress.show(
              Math.round(PERCENT * evacuation.path("progress").asDouble(0)),
              PERCENT,
              ByteSizes.text(evacuation.path("movedBytes").asLong(0)) + " moved");
        }
      }
    } finally {
      if (progress != null) {
        progress.close();
      }
    }
    return store;
  }

  private JsonNode disk(JsonNode answer) {
    for (JsonNode store : answer.path("stores")) {
      if (store.path("name").asString("").equals(name)) {
        return store;
      }
    }
    throw new CommandException(
        ExitCode.FAILURE, "the node has no disk named " + name + " any more");
  }

  private static String state(JsonNode store) {
    return store.path("state").asString("?");
  }

  private String result(JsonNode store) {
    JsonNode evacuation = store.path("evacuation");
    String counts =
        String.format(
            Locale.ROOT,
            "%,d records moved (%s), %,d dropped",
            evacuation.path("movedRecords").asLong(0),
            ByteSizes.text(evacuation.path("movedBytes").asLong(0)),
            evacuation.path("droppedRecords").asLong(0));
    return switch (state(store)) {
      case "evacuated" -> counts + ": disk " + name + " is empty and can be pulled";
      case "evacuating" -> counts + " so far: the evacuation continues";
      default -> counts + ": disk " + name + " is used again";
    };
  }
}
