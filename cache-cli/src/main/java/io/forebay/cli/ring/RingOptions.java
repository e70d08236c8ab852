package io.forebay.cli.ring;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.storage.file.DefaultMemoryDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options that select the rings to read, and the requests in them. */
final class RingOptions {
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "QUERY",
      description =
          "Requests to take, such as 'status >= 500 and first_byte > 200ms'; all without it.")
  private @Nullable String query;

  @Option(
      names = "--ring-dir",
      order = 70,
      paramLabel = "DIR",
      description =
          "Read the rings in this directory; default: the directory that the node at --admin-url"
              + " names.")
  private @Nullable Path ringDirectory;

  @Option(
      names = "--data",
      order = 71,
      paramLabel = "DIR",
      description =
          "The same by the data directory of the node, running or not, if its memory directory is the"
              + " default.")
  private @Nullable Path data;

  @Option(
      names = "--previous",
      order = 72,
      description = "Read the rings of the process before the last one.")
  private boolean isOfPrevious;

  RingOptions() {}

  RecordQuery query() {
    return RecordQuery.of(query);
  }

  RingSource open() {
    return RingSource.open(directory(), isOfPrevious);
  }

  private Path directory() {
    if (ringDirectory != null && data != null) {
      throw new CommandException(ExitCode.USAGE, "--ring-dir and --data exclude each other");
    }
    if (ringDirectory != null) {
      return ringDirectory;
    }
    return data == null ? ofNode() : ofData(data);
  }

  private static Path ofData(Path data) {
    Path found;
    try {
      found = DefaultMemoryDirectory.system().find(data);
    } catch (IOException e) {
      throw new CommandException(ExitCode.FAILURE, CommandException.reason(e), e);
    }
    if (found == null) {
      throw new CommandException(
          ExitCode.FAILURE,
          data + " names no memory directory: give that of store.memory-directory as --ring-dir");
    }
    return found;
  }

  private Path ofNode() {
    try (AdminClient client = admin.client()) {
      String named = client.get("/v1/stats").path("requestRing").path("directory").asString("");
      if (named.isEmpty()) {
        throw new CommandException(
            ExitCode.FAILURE, "the node has no request ring: see access-log.ring, and its log");
      }
      return Path.of(named);
    }
  }
}
