package io.forebay.server.compress;

/**
 * How much effort goes into each coding.
 *
 * @param br 0 to 11
 * @param zstd 1 to 19
 * @param gzip 1 to 9
 */
public record CodingLevels(int br, int zstd, int gzip) {

  /** For what clients wait for. */
  public static final CodingLevels STREAMS = new CodingLevels(4, 3, 5);

  /** For what is compressed once and served many times. */
  public static final CodingLevels COPIES = new CodingLevels(9, 12, 9);

  public int of(ContentCoding coding) {
    return switch (coding) {
      case BR -> br;
      case ZSTD -> zstd;
      case GZIP -> gzip;
    };
  }
}
