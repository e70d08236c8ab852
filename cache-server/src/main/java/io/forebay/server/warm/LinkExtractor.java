package io.forebay.server.warm;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Extracts the URLs in HLS playlists. Playlists come from outside, so everything is bounded. */
final class LinkExtractor {
  static final int MAX_PLAYLIST_BYTES = 8 << 20;

  private static final Pattern URI_ATTRIBUTE = Pattern.compile("[:,]\\s*URI=\"([^\"]{1,8192})\"");

  private LinkExtractor() {}

  /** References in an HLS playlist: variants, renditions, initialisation parts and segments. */
  static List<String> playlist(byte[] body, int maxUrls) {
    List<String> references = new ArrayList<>();
    String text = new String(body, StandardCharsets.UTF_8);
    if (text.startsWith("\uFEFF")) {
      text = text.substring(1);
    }
    if (!text.stripLeading().startsWith("#EXTM3U")) {
      return references;
    }
    for (String raw : (Iterable<String>) text.lines()::iterator) {
      String line = raw.strip();
      if (references.size() >= maxUrls) {
        break;
      }
      if (line.isEmpty()) {
        continue;
      }
      if (!line.startsWith("#")) {
        references.add(line);
      } else if (line.startsWith("#EXT-X-MEDIA:")
          || line.startsWith("#EXT-X-MAP:")
          || line.startsWith("#EXT-X-PART:")
          || line.startsWith("#EXT-X-I-FRAME-STREAM-INF:")) {
        // Not keys, which are nobody's to store, nor preload hints, whose answer is yet to come.
        Matcher matcher = URI_ATTRIBUTE.matcher(line);
        if (matcher.find()) {
          references.add(matcher.group(1));
        }
      }
    }
    return references;
  }
}
