package io.forebay.server.media;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a DASH manifest (MPD, ISO/IEC 23009-1) names.
 *
 * @param isDynamic whether the manifest changes while the presentation goes on
 * @param minimumUpdatePeriod how long the manifest holds at least; null where it says nothing
 * @param representations in the order of the document
 * @param isWhole whether all segments are listed; false where a bound ended the list
 */
public record DashManifest(
    boolean isDynamic,
    @Nullable Duration minimumUpdatePeriod,
    List<Representation> representations,
    boolean isWhole) {

  /** Bytes of a manifest at most. */
  public static final int MAX_BYTES = 8 << 20;

  /**
   * One version of audio, video or text in one period.
   *
   * @param id as the manifest has it, or empty
   * @param bandwidth bits a second; 0 where the manifest has none
   * @param urls absolute: the initialization segment if there is one, then the segments in their
   *     order
   */
  public record Representation(String id, long bandwidth, List<String> urls) {}

  /** It is no manifest, or it passes a bound, which the message names. */
  public static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  /**
   * Reads a manifest. Of a live presentation with segments of equal length, those that can be
   * requested at {@code now} are listed. Of several BaseURLs at one level the first one counts: the
   * others are other places of the same bytes.
   *
   * @param document at most {@link #MAX_BYTES}
   * @param url of the manifest, absolute; references are resolved against it
   * @param maxUrls in all representations together
   * @throws RefusedException when it is no manifest, or one that this class does not support
   */
  public static DashManifest parse(byte[] document, URI url, Instant now, int maxUrls)
      throws RefusedException {
    MpdElement root = MpdReader.read(document);
    try {
      return new SegmentUrls(root, url, now, maxUrls).manifest();
    } catch (ArithmeticException e) {
      throw new RefusedException("a time of the manifest is out of range");
    }
  }

  /** Whether a response is a manifest, by its type or the suffix of its path. */
  public static boolean isManifest(String path, String contentType) {
    return path.regionMatches(true, path.length() - 4, ".mpd", 0, 4)
        || contentType.regionMatches(true, 0, "application/dash+xml", 0, 20);
  }
}
