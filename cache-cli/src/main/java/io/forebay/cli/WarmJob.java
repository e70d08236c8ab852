package io.forebay.cli;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A warm-up job of the node, asked again and again until it is over. */
final class WarmJob {
  private final AdminClient client;
  private final String path;
  private long after;
  private long known;
  private boolean isOver;

  private WarmJob(AdminClient client, String path) {
    this.client = client;
    this.path = path;
  }

  static WarmJob start(AdminClient client, Object order) {
    JsonNode job = client.post("/v1/warm", order).path("job");
    if (job.isMissingNode()) {
      throw new CommandException(
          Exit.FAILURE, client.base() + " started no job: is it the admin API of a Forebay?");
    }
    return new WarmJob(client, "/v1/warm/" + job.asString(""));
  }

  /** What has come in since the last poll. */
  List<JsonNode> poll() {
    JsonNode status = client.get(path + "?after=" + after);
    List<JsonNode> fresh = new ArrayList<>();
    status.path("results").forEach(fresh::add);
    after += fresh.size();
    known = status.path("totals").path("known").asLong(after);
    // A long job hands out its results in pages: it is over once the last page was read.
    isOver = !status.path("state").asString("").equals("running") && fresh.isEmpty();
    return fresh;
  }

  /** URLs the job knows of by now; playlists and sitemaps add to it. */
  long known() {
    return known;
  }

  boolean isOver() {
    return isOver;
  }

  static boolean isWarm(JsonNode result) {
    return result.path("ok").asBoolean(false);
  }

  static String describe(JsonNode result) {
    return result.path("url").asString("") + ": " + result.path("error").asString("failed");
  }
}
