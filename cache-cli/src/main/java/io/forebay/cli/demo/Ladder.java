package io.forebay.cli.demo;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * The objects of a small live channel: the segments of each rendition, with realistic sizes, and
 * the playlists that name them. The bytes of a segment are derived from its path, so a reader can
 * verify them.
 */
final class Ladder {
  private static final String CHANNEL = "/live/news/";
  private static final int SEGMENTS = 2;

  private final Map<String, Item> items = new LinkedHashMap<>();
  private final List<Item> segments = new ArrayList<>();

  /** A rendition of the channel and the size of its segments. */
  record Rung(String name, int lengthBytes) {}

  /** One object of the channel. */
  @SuppressWarnings("ArrayRecordComponent") // compared by path alone, and never written to
  record Item(String path, String rung, String contentType, String cacheControl, byte[] bytes) {}

  private static final List<Rung> RUNGS =
      List.of(
          new Rung("audio", 72 << 10),
          new Rung("240p", 320 << 10),
          new Rung("480p", 950 << 10),
          new Rung("720p", 2_300 << 10),
          new Rung("1080p", 5_200 << 10),
          new Rung("2160p", 12 << 20));

  Ladder() {
    StringBuilder master = new StringBuilder("#EXTM3U\n#EXT-X-VERSION:3\n");
    for (Rung rung : RUNGS) {
      master
          .append("#EXT-X-STREAM-INF:BANDWIDTH=")
          .append(rung.lengthBytes * 2L)
          .append('\n')
          .append(rung.name)
          .append("/index.m3u8\n");
      StringBuilder playlist =
          new StringBuilder("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n");
      for (int number = 1; number <= SEGMENTS; number++) {
        String name = "seg-" + number + ".ts";
        playlist.append("#EXTINF:4.0,\n").append(name).append('\n');
        addSegment(CHANNEL + rung.name + "/" + name, rung);
      }
      addPlaylist(CHANNEL + rung.name + "/index.m3u8", rung.name, playlist.toString());
    }
    // Asked for by nobody until the viewers come together.
    addSegment(newestOfBiggest(), RUNGS.getLast());
    segments.removeLast();
    addPlaylist(masterPath(), "master", master.toString());
  }

  static String masterPath() {
    return CHANNEL + "master.m3u8";
  }

  /** A segment of the biggest rendition that no playlist names yet. */
  static String newestOfBiggest() {
    return CHANNEL + RUNGS.getLast().name + "/seg-" + (SEGMENTS + 1) + ".ts";
  }

  /** The segments the playlists name, smallest rendition first. */
  List<Item> segments() {
    return segments;
  }

  List<String> playlists() {
    return items.keySet().stream().filter(path -> path.endsWith(".m3u8")).toList();
  }

  /** The first segment of each rendition. */
  List<Item> firstOfEachRung() {
    return segments.stream().filter(item -> item.path().endsWith("/seg-1.ts")).toList();
  }

  @org.jspecify.annotations.Nullable
  Item find(String path) {
    return items.get(path);
  }

  Item item(String path) {
    Item item = items.get(path);
    if (item == null) {
      throw new IllegalArgumentException("no such object in the ladder: " + path);
    }
    return item;
  }

  static int renditions() {
    return RUNGS.size();
  }

  private void addSegment(String path, Rung rung) {
    Item item =
        new Item(
            path, rung.name, "video/mp2t", "public, max-age=3600", bytes(path, rung.lengthBytes));
    items.put(path, item);
    segments.add(item);
  }

  private void addPlaylist(String path, String rung, String text) {
    items.put(
        path,
        new Item(
            path,
            rung,
            "application/vnd.apple.mpegurl",
            "public, max-age=2",
            text.getBytes(StandardCharsets.UTF_8)));
  }

  private static byte[] bytes(String path, int length) {
    CRC32C seed = new CRC32C();
    seed.update(path.getBytes(StandardCharsets.UTF_8));
    SplittableRandom random = new SplittableRandom(seed.getValue());
    ByteBuffer bytes = ByteBuffer.allocate((length + 7) & ~7);
    while (bytes.hasRemaining()) {
      bytes.putLong(random.nextLong());
    }
    return java.util.Arrays.copyOf(bytes.array(), length);
  }
}
