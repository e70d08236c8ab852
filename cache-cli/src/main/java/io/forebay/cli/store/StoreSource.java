package io.forebay.cli.store;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.server.admin.report.StoreReport;
import io.forebay.server.purge.PurgePredicate;
import io.forebay.storage.OfflineStore;
import io.forebay.storage.inspect.Listing.Position;
import io.forebay.storage.inspect.StoreInspector;
import io.forebay.storage.inspect.Verification;
import io.forebay.storage.lock.DirectoryInUseException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A store to inspect, live or at rest. Both kinds respond in the format of the admin API. */
sealed interface StoreSource extends AutoCloseable {

  /** A page of the listing, with {@code next} for the one behind it. */
  JsonNode list(String prefix, int limit, @Nullable String cursor);

  JsonNode object(String url);

  JsonNode stat();

  JsonNode map();

  /** Begins a check. */
  JsonNode verify(@Nullable Long bytesPerSecond);

  /** How far the check is. */
  JsonNode verification();

  /** Whole files that are damaged or missing; where a node runs it would say so itself. */
  default List<String> problems() {
    return List.of();
  }

  @Override
  void close();

  /** That of a node, by its admin API. */
  final class Running implements StoreSource {
    private final AdminClient client;

    Running(AdminClient client) {
      this.client = client;
    }

    @Override
    public JsonNode list(String prefix, int limit, @Nullable String cursor) {
      return client.get(
          "/v1/store/objects?limit="
              + limit
              + "&prefix="
              + encoded(prefix)
              + (cursor == null ? "" : "&cursor=" + cursor));
    }

    @Override
    public JsonNode object(String url) {
      return client.get("/v1/store/object?url=" + encoded(url));
    }

    private static String encoded(String text) {
      return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public JsonNode stat() {
      return client.get("/v1/store/stat");
    }

    @Override
    public JsonNode map() {
      return client.get("/v1/store/map");
    }

    @Override
    public JsonNode verify(@Nullable Long bytesPerSecond) {
      return client.post(
          "/v1/store/verify",
          bytesPerSecond == null ? Map.of() : Map.of("bytesPerSecond", bytesPerSecond));
    }

    @Override
    public JsonNode verification() {
      return client.get("/v1/store/verify");
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** Files that no process has. */
  final class Resting implements StoreSource {
    private final OfflineStore store;
    private final StoreInspector survey;
    private @Nullable Verification run;

    private Resting(OfflineStore store) {
      this.store = store;
      this.survey = store.survey(() -> false);
    }

    static Resting open(
        Path data, @Nullable Path memory, List<Path> tiers, Map<String, Path> disks) {
      try {
        return new Resting(
            OfflineStore.open(
                new OfflineStore.Places(data, memory, tiers, disks),
                PurgePredicate::parse,
                System::currentTimeMillis));
      } catch (DirectoryInUseException e) {
        throw new CommandException(
            ExitCode.NO_RESOURCE, e.getMessage() + "; to query a running node, omit --data", e);
      } catch (IOException e) {
        throw failed(e);
      }
    }

    private static CommandException failed(IOException e) {
      return new CommandException(ExitCode.FAILURE, CommandException.reason(e), e);
    }

    @Override
    public JsonNode list(String prefix, int limit, @Nullable String cursor) {
      try {
        Position from = cursor == null ? null : Position.parse(cursor);
        return StoreReport.list(survey, prefix, limit, from == null ? Position.START : from);
      } catch (IOException e) {
        throw failed(e);
      }
    }

    @Override
    public JsonNode object(String url) {
      try {
        return StoreReport.object(survey, url);
      } catch (IllegalArgumentException e) {
        throw new CommandException(ExitCode.USAGE, CommandException.reason(e), e);
      } catch (IOException e) {
        throw failed(e);
      }
    }

    @Override
    public JsonNode stat() {
      try {
        return StoreReport.stat(survey);
      } catch (IOException e) {
        throw failed(e);
      }
    }

    @Override
    public JsonNode map() {
      try {
        return StoreReport.map(survey);
      } catch (IOException e) {
        throw failed(e);
      }
    }

    @Override
    public JsonNode verify(@Nullable Long bytesPerSecond) {
      Verification started =
          new Verification(
              1,
              bytesPerSecond == null ? 0 : bytesPerSecond,
              System::nanoTime,
              LockSupport::parkNanos);
      Thread thread = new Thread(() -> started.run(survey, Verification.Repair.NONE), "verify");
      thread.setDaemon(true);
      thread.start();
      run = started;
      return StoreReport.verification(started);
    }

    @Override
    public JsonNode verification() {
      Verification started = run;
      if (started == null) {
        throw new IllegalStateException("nothing was started");
      }
      return StoreReport.verification(started);
    }

    @Override
    public List<String> problems() {
      return store.problems();
    }

    @Override
    public void close() {
      try {
        store.close();
      } catch (IOException e) {
        throw failed(e);
      }
    }
  }
}
