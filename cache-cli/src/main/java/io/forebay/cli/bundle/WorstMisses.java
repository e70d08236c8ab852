package io.forebay.cli.bundle;

import io.forebay.cli.console.Output;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** The URLs that cost the origin most, from the end of an access log of JSON lines. */
final class WorstMisses {
  /** Of the log's end. */
  private static final int MAX_BYTES = 16 << 20;

  private static final int MAX_URLS = 50_000;
  private static final List<String> TO_ORIGIN = List.of("miss", "pass", "revalidated");

  /**
   * Requests for one URL that went to an origin.
   *
   * @param micros that they waited for the origin
   */
  record Missed(String url, long requests, long micros) {
    Missed plus(Missed other) {
      return new Missed(url, requests + other.requests, micros + other.micros);
    }
  }

  private WorstMisses() {}

  /** Those with the most time at the origin, the worst first. */
  static List<Missed> of(Path log, int limit) throws IOException {
    Map<String, Missed> all = new HashMap<>();
    tail(log, MAX_BYTES)
        .lines()
        .forEach(line -> {
          Missed missed = missed(line);
          if (missed != null && (all.size() < MAX_URLS || all.containsKey(missed.url))) {
            all.merge(missed.url, missed, Missed::plus);
          }
        });
    return all.values().stream()
        .sorted(
            Comparator.<Missed>comparingLong(one -> -one.micros)
                .thenComparingLong(one -> -one.requests)
                .thenComparing(Missed::url))
        .limit(limit)
        .toList();
  }

  private static @Nullable Missed missed(String line) {
    try {
      JsonNode node = Output.mapper().readTree(line);
      String host = node.path("host").asString("");
      String target = node.path("target").asString("");
      // What the log masks cannot be asked for.
      if (!TO_ORIGIN.contains(node.path("cache").asString(""))
          || !node.path("method").asString("GET").equals("GET")
          || host.isEmpty()
          || !target.startsWith("/")
          || target.contains("***")) {
        return null;
      }
      long micros = node.path("fetch_us").asLong(node.path("duration_us").asLong(0));
      String url = node.path("scheme").asString("http") + "://" + host + target;
      return new Missed(url, 1, Math.max(0, micros));
    } catch (JacksonException e) {
      return null;
    }
  }

  /** The last whole lines of a file. */
  static String tail(Path file, int most) throws IOException {
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      long from = Math.max(0, channel.size() - most);
      channel.position(from);
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(most, channel.size() - from));
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // read on
      }
      String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
      return from == 0 ? text : text.substring(text.indexOf('\n') + 1);
    }
  }
}
