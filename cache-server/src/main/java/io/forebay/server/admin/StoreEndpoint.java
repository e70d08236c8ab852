package io.forebay.server.admin;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.server.admin.report.DiskReport;
import io.forebay.server.admin.report.ExplainReport;
import io.forebay.server.admin.report.StoreReport;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.node.NodeControl;
import io.forebay.server.node.StoreTarget;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.TlsPreview;
import io.forebay.server.warm.ServedUrls;
import io.forebay.storage.inspect.Listing.Position;
import io.forebay.storage.inspect.StoreInspection;
import io.forebay.storage.inspect.StoreInspection.BusyException;
import io.forebay.storage.inspect.Verification;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /v1/store/…}: lists, locates and verifies stored objects; and {@code /v1/explain}:
 * explains a request.
 */
final class StoreEndpoint {
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_HOT = 10_000;
  private static final long DEFAULT_BYTES_PER_SECOND = 256L << 20;
  private static final Duration LIST_BUDGET = Duration.ofSeconds(5);
  private static final Duration WALK_BUDGET = Duration.ofSeconds(30);

  private final NodeControl node;
  private final Logger audit;

  StoreEndpoint(NodeControl node, Logger audit) {
    this.node = node;
    this.audit = audit;
  }

  ObjectNode objects(@Nullable String rawQuery) throws AdminError {
    Map<String, String> query = query(rawQuery, Set.of("prefix", "limit", "cursor"));
    int limit = limit(query.get("limit"));
    String cursor = query.get("cursor");
    Position from = cursor == null ? Position.START : Position.parse(cursor);
    if (from == null) {
      throw new AdminError(400, "cursor must be the \"next\" value of an earlier response");
    }
    String prefix = query.getOrDefault("prefix", "");
    return ask(LIST_BUDGET, survey -> StoreReport.list(survey, prefix, limit, from));
  }

  private static int limit(@Nullable String text) throws AdminError {
    if (text == null) {
      return DEFAULT_LIMIT;
    }
    if (!text.matches("[1-9]\\d{0,3}") || Integer.parseInt(text) > StoreReport.MAX_LISTED) {
      throw new AdminError(400, "limit must be a number from 1 to " + StoreReport.MAX_LISTED);
    }
    return Integer.parseInt(text);
  }

  /** What is asked for most. */
  ObjectNode hot(@Nullable String rawQuery) throws AdminError {
    String text = query(rawQuery, Set.of("limit")).getOrDefault("limit", "1000");
    if (!text.matches("[1-9]\\d{0,4}") || Integer.parseInt(text) > MAX_HOT) {
      throw new AdminError(400, "limit must be a number from 1 to " + MAX_HOT);
    }
    ServedUrls served = ServedUrls.of(node.config());
    return ask(
        WALK_BUDGET, survey -> StoreReport.hot(survey, Integer.parseInt(text), served::isPublic));
  }

  ObjectNode object(@Nullable String rawQuery) throws AdminError {
    String url = query(rawQuery, Set.of("url")).get("url");
    if (url == null) {
      throw new AdminError(400, "the query must be url=URL");
    }
    List<StoreTarget> targets;
    try {
      targets = node.storeTargets(url);
    } catch (IllegalArgumentException e) {
      throw new AdminError(400, Printable.json(String.valueOf(e.getMessage())));
    }
    return ask(WALK_BUDGET, survey -> StoreReport.object(survey, url, targets));
  }

  /** What would become of a request. */
  ObjectNode explain(ObjectNode order) throws AdminError {
    SyntheticRequest request = ExplainRequest.parse(order);
    boolean isSecure = request.scheme().equals("https");
    List<TlsPreview> tls =
        isSecure ? node.tlsForecasts(AuthorityNormalizer.host(request.authority())) : List.of();
    return ask(WALK_BUDGET, survey -> ExplainReport.of(node.explain(survey, request), tls, survey));
  }

  ObjectNode stat() throws AdminError {
    ObjectNode answer = ask(WALK_BUDGET, StoreReport::stat);
    DiskReport.add(answer.putArray("disks"), node.disks());
    return answer;
  }

  ObjectNode map() throws AdminError {
    return ask(WALK_BUDGET, StoreReport::map);
  }

  /** Starts, shows or cancels the check. */
  ObjectNode verify(ObjectNode order, String caller) throws AdminError {
    List<String> problems = new InputProblems();
    Json.onlyKnown(order, Set.of("bytesPerSecond"), problems);
    double rate = Json.number(order, "bytesPerSecond", DEFAULT_BYTES_PER_SECOND, 0, 1e15, problems);
    if (!problems.isEmpty()) {
      throw new AdminError(400, "the request is malformed, nothing was started", problems);
    }
    try {
      Verification run = inspection().verify((long) rate);
      audit.info("store verify caller={} job={}", caller, run.id());
      return StoreReport.verification(run);
    } catch (BusyException e) {
      throw new AdminError(429, String.valueOf(e.getMessage()));
    }
  }

  ObjectNode verification() throws AdminError {
    return StoreReport.verification(lastRun());
  }

  ObjectNode cancel(String caller) throws AdminError {
    Verification run = lastRun();
    run.cancel();
    audit.info("store verify cancelled caller={} job={}", caller, run.id());
    return StoreReport.verification(run);
  }

  private Verification lastRun() throws AdminError {
    Verification run = inspection().verification();
    if (run == null) {
      throw new AdminError(404, "no verification has run since the start");
    }
    return run;
  }

  private StoreInspection inspection() throws AdminError {
    StoreInspection inspection = node.inspection();
    if (inspection == null) {
      throw new AdminError(503, "the store is not open");
    }
    return inspection;
  }

  private ObjectNode ask(Duration budget, StoreInspection.Question<ObjectNode> question)
      throws AdminError {
    try {
      return inspection().ask(budget, question);
    } catch (BusyException e) {
      throw new AdminError(429, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new AdminError(500, "the store cannot be read", List.of(String.valueOf(e)));
    }
  }

  private static Map<String, String> query(@Nullable String raw, Set<String> known)
      throws AdminError {
    Map<String, String> values = new HashMap<>();
    if (raw == null || raw.isEmpty()) {
      return values;
    }
    for (String pair : raw.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      String value;
      try {
        value =
            equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8);
      } catch (IllegalArgumentException e) {
        throw new AdminError(400, "the query is malformed at " + Printable.json(name));
      }
      if (!known.contains(name)) {
        throw new AdminError(400, "unknown query parameter: \"" + Printable.json(name) + "\"");
      }
      if (values.put(name, value) != null) {
        throw new AdminError(400, name + " is given twice in the query");
      }
    }
    return values;
  }
}
