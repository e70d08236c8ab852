package io.forebay.cli.warm;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A warm-up job of the node, polled until it ends. */
final class WarmJob {
  private final AdminClient client;
  private final String path;
  private long after;
  private long found;
  private long leftOut;
  private boolean isMore;
  private boolean isOver;

  private WarmJob(AdminClient client, String path) {
    this.client = client;
    this.path = path;
  }

  static WarmJob start(AdminClient client, Object order) {
    JsonNode job = client.post("/v1/warm", order).path("job");
    if (job.isMissingNode()) {
      throw new CommandException(
          ExitCode.FAILURE, client.base() + " started no job: is it the admin API of a Forebay?");
    }
    return new WarmJob(client, "/v1/warm/" + job.asString(""));
  }

  /** What has come in since the last poll, a page at most. */
  List<JsonNode> poll() {
    JsonNode report = client.get(path + "?after=" + after);
    List<JsonNode> fresh = new ArrayList<>();
    report.path("results").forEach(fresh::add);
    after = report.path("next").asLong(after + fresh.size());
    found = report.path("totals").path("found").asLong(after);
    leftOut = report.path("totals").path("leftOut").asLong(0);
    isMore = report.path("more").asBoolean(false);
    isOver = !isMore && !report.path("state").asString("").equals("running");
    return fresh;
  }

  void cancel() {
    client.delete(path);
  }

  /** URLs the job knows of by now; playlists and sitemaps add to it. */
  long found() {
    return found;
  }

  /** URLs it found past the node's bound for one job. */
  long leftOut() {
    return leftOut;
  }

  /** Whether the next page waits already. */
  boolean isMore() {
    return isMore;
  }

  boolean isOver() {
    return isOver;
  }

  static boolean isWarm(JsonNode result) {
    return !result.has("error");
  }

  static boolean isHit(JsonNode result) {
    return result.path("cache").asString("").equals("hit");
  }

  static String describe(JsonNode result) {
    return result.path("url").asString("") + ": " + result.path("error").asString("failed");
  }
}
