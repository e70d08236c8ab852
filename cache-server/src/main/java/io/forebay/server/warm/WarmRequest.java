package io.forebay.server.warm;

import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/**
 * The parameters of a warm-up job.
 *
 * @param ratePerSecond requests started a second at most; 0 means no bound
 */
public record WarmRequest(
    List<String> urls,
    List<String> sitemaps,
    boolean isFollowing,
    int concurrency,
    double ratePerSecond) {
  static final int MAX_CONCURRENCY = 64;
  private static final int MAX_URL_LENGTH = 8192;
  private static final Set<String> FIELDS =
      Set.of("urls", "sitemaps", "follow", "concurrency", "ratePerSecond");

  public static WarmRequest parse(ObjectNode body) throws AdminError {
    List<String> problems = new InputProblems();
    Json.onlyKnown(body, FIELDS, problems);
    WarmRequest order =
        new WarmRequest(
            List.copyOf(Json.texts(body, "urls", MAX_URL_LENGTH, problems)),
            List.copyOf(Json.texts(body, "sitemaps", MAX_URL_LENGTH, problems)),
            Json.flag(body, "follow", true, problems),
            (int) Json.number(body, "concurrency", 8, 1, MAX_CONCURRENCY, problems),
            Json.number(body, "ratePerSecond", 0, 0, 1_000_000, problems));
    if (order.urls.isEmpty() && order.sitemaps.isEmpty() && problems.isEmpty()) {
      problems.add("nothing to warm: give urls or sitemaps");
    }
    if (!problems.isEmpty()) {
      throw new AdminError(400, "the request is malformed, nothing was started", problems);
    }
    return order;
  }
}
