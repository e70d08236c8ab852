package io.forebay.lab.target;

import io.forebay.lab.target.RunningTarget.Counters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the edge tells of itself: {@code /metrics} and {@code /v1/stats}. */
final class ForebayStatus {
  private static final Pattern SAMPLE =
      Pattern.compile("(forebay_[a-z0-9_]+)(?:\\{([^}]*)})? ([^ ]+)");
  private static final Pattern CACHE = Pattern.compile("(?:^|,)cache=\"([a-z]+)\"");

  /** No request went to the origin for these. */
  private static final Set<String> HITS = Set.of("hit", "stale", "joined");

  /** Neither store nor origin had to do with these: a client left, or a limit refused it. */
  private static final Set<String> UNSERVED = Set.of("refused", "synthetic");

  /** Bodies of these lay in a tier. */
  private static final Set<String> FROM_STORE = Set.of("hit", "stale", "revalidated");

  private ForebayStatus() {}

  /**
   * Counters of a scrape. A hit that asked the origin for a part of its body is none. Bytes are
   * those of bodies, whatever the protocol is. Bytes of hits from disks are those that were read
   * from them, whether they went to a client at once or into memory first; the rest of what hits
   * sent came from memory.
   */
  static Counters counters(String scrape) throws IOException {
    double requests = 0;
    double hits = 0;
    double sent = 0;
    double fetched = -1;
    double stored = 0;
    double read = 0;
    double asked = 0;
    boolean hasDisk = false;
    for (String line : scrape.split("\n", -1)) {
      Matcher sample = SAMPLE.matcher(line);
      if (!sample.matches()) {
        continue;
      }
      double value = Double.parseDouble(sample.group(3));
      switch (sample.group(1)) {
        case "forebay_requests_total" -> {
          requests += UNSERVED.contains(cache(sample)) ? 0 : value;
          hits += HITS.contains(cache(sample)) ? value : 0;
        }
        case "forebay_partial_hits_total" -> hits -= HITS.contains(cache(sample)) ? value : 0;
        case "forebay_response_bytes_total" -> {
          sent += value;
          stored += FROM_STORE.contains(cache(sample)) ? value : 0;
        }
        case "forebay_origin_body_bytes_total" -> fetched = value;
        case "forebay_origin_requests_total" -> asked += value;
        case "forebay_disk_read_bytes_total" -> {
          hasDisk = true;
          read += value;
        }
        default -> {}
      }
    }
    if (fetched < 0) {
      throw new IOException("no forebay_origin_body_bytes_total in the scrape of Forebay");
    }
    double fromDisk = Math.min(read, stored);
    return new Counters(
        (long) requests,
        (long) hits,
        (long) sent,
        (long) fetched,
        hasDisk
            ? Map.of("memory", (long) (stored - fromDisk), "disk", (long) fromDisk)
            : Map.of("memory", (long) stored),
        (long) asked);
  }

  private static String cache(Matcher sample) {
    String labels = sample.group(2);
    Matcher cache = CACHE.matcher(labels == null ? "" : labels);
    return cache.find() ? cache.group(1) : "";
  }

  /** The miss-ratio curve of the statistics; without points before enough requests. */
  static MissRatioCurve curve(String statistics) throws IOException {
    try {
      JsonNode store = JsonMapper.shared().readTree(statistics).path("store");
      long capacity = store.path("capacityBytes").asLong();
      List<MissRatioCurve.Point> points = new ArrayList<>();
      for (JsonNode size : store.path("estimates").path("sizes")) {
        points.add(
            new MissRatioCurve.Point(
                Math.round(size.path("scale").asDouble() * capacity),
                size.path("hitRatio").asDouble(),
                size.path("byteHitRatio").asDouble()));
      }
      return new MissRatioCurve(points);
    } catch (JacksonException e) {
      throw new IOException("the statistics of Forebay are no JSON", e);
    }
  }
}
