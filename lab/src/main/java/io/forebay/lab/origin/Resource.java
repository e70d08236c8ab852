package io.forebay.lab.origin;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a path names. The last segments of the path decide; those before keep runs apart and belong
 * to the body's seed only.
 */
sealed interface Resource {

  /** {@code /o/BYTES/NAME}. */
  record Sized(long bytes) implements Resource {}

  /** {@code /CHANNEL/variantNN/TYPE/SIZEKB/SEGMENT}. */
  record Segment(long bytes, String name) implements Resource {}

  /** {@code /CHANNEL/variantNN/TYPE/SIZEKB/index.m3u8}. */
  record MediaPlaylist(String type) implements Resource {}

  /** {@code /CHANNEL/index.m3u8}. */
  record MasterPlaylist() implements Resource {}

  /** {@code /CHANNEL/manifest.mpd}. */
  record DashManifest() implements Resource {}

  int MAX_PATH = 2000;
  String PLAYLIST = "index.m3u8";
  String MANIFEST = "manifest.mpd";
  Pattern VARIANT = Pattern.compile("variant\\d\\d");
  Pattern TYPE = Pattern.compile("[a-z0-9-]{1,40}");
  Set<String> NOT_CHANNELS = Set.of("o", "_stats");
  String FORMS =
      "write /o/BYTES/NAME, /CHANNEL/variantNN/TYPE/SIZEKB/SEGMENT, /CHANNEL/index.m3u8 or"
          + " /CHANNEL/manifest.mpd";

  /**
   * Reads a path.
   *
   * @param path of a request, without query
   * @throws IllegalArgumentException that says what to write instead
   */
  static Resource parse(String path) {
    if (path.length() > MAX_PATH) {
      throw new IllegalArgumentException("a path has at most " + MAX_PATH + " characters");
    }
    List<String> parts = List.of(path.split("/", -1));
    int count = parts.size();
    if (!parts.getFirst().isEmpty() || parts.subList(1, count).contains("")) {
      throw unknown();
    }
    String name = parts.getLast();
    if (count >= 6 && VARIANT.matcher(parts.get(count - 4)).matches()) {
      return ofLadder(parts.get(count - 3), parts.get(count - 2), name);
    }
    if (count >= 4 && parts.get(count - 3).equals("o")) {
      return new Sized(ByteSize.parse(parts.get(count - 2)));
    }
    if (count >= 3 && !NOT_CHANNELS.contains(parts.get(count - 2))) {
      switch (name) {
        case PLAYLIST -> {
          return new MasterPlaylist();
        }
        case MANIFEST -> {
          return new DashManifest();
        }
        default -> {}
      }
    }
    throw unknown();
  }

  private static Resource ofLadder(String type, String size, String name) {
    if (!TYPE.matcher(type).matches()) {
      throw new IllegalArgumentException("not a type: write such as hls-video or dash-4k-video");
    }
    if (!size.endsWith("KB")) {
      throw new IllegalArgumentException("not a size of the ladder: write such as 384KB");
    }
    long bytes = ByteSize.parse(size);
    return name.equals(PLAYLIST) ? new MediaPlaylist(type) : new Segment(bytes, name);
  }

  private static IllegalArgumentException unknown() {
    return new IllegalArgumentException("no such URL: " + FORMS);
  }
}
