package io.forebay.e2e;

import io.forebay.testing.PathOrigin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A channel of low-latency HLS (RFC 8216bis) in real time: the fragments of an MP4 file of ffmpeg
 * are its parts, again and again. It is a function of the clock, so several servers can serve it.
 *
 * <pre>
 *   file:   ftyp moov | moof mdat | moof mdat | moof mdat | moof mdat | moof mdat | …
 *   served: init.mp4  |  0.0.m4s     0.1.m4s     0.2.m4s     0.3.m4s  |  1.0.m4s  | …
 *                     |                    0.m4s                      |     1.m4s …
 * </pre>
 *
 * It holds blocking reloads until their part is there, and a request for the part that the playlist
 * hints at; playlists are delta updates where a request asks for one. It says nothing of lifetimes.
 */
final class LowLatencyHls {
  static final Duration PART = Duration.ofMillis(500);
  static final int PARTS_PER_SEGMENT = 4;

  /** The channel's directory. */
  static final String ROOT = "/ll-hls/";

  static final String PLAYLIST = ROOT + "live.m3u8";

  /** Segments in a playlist; those that a delta update skips are older than six. */
  private static final int WINDOW = 10;

  private static final int MIN_UNSKIPPED = 6;

  /** Segments with their parts: three target durations. */
  private static final int SEGMENTS_WITH_PARTS = 3;

  private static final String FIELDS =
      "Access-Control-Allow-Origin: *\r\nTiming-Allow-Origin: *\r\nContent-Type: %s\r\n";
  private static final String PLAYLIST_TYPE = "application/vnd.apple.mpegurl";
  private static final Pattern MEDIA = Pattern.compile(ROOT + "([0-9]+)(?:\\.([0-3]))?\\.m4s");
  private static final Pattern SEQUENCE = Pattern.compile("[?&]_HLS_msn=([0-9]+)");
  private static final Pattern PART_NUMBER = Pattern.compile("[?&]_HLS_part=([0-9]+)");

  private final byte[] init;
  private final List<byte[]> parts = new ArrayList<>();
  private final long partTicks;
  private final long startNanos;
  private final Instant start;

  /**
   * A channel that has been on air for a whole playlist.
   *
   * @param file with fragments of the length of a part, of which each fourth begins with a key
   *     frame
   */
  LowLatencyHls(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    byte[] fragment = new byte[0];
    while (bytes.hasRemaining()) {
      byte[] box = new byte[bytes.getInt(bytes.position())];
      String type = type(bytes, bytes.position());
      bytes.get(box);
      switch (type) {
        case "ftyp", "moov" -> head.writeBytes(box);
        case "moof" -> fragment = box;
        case "mdat" -> parts.add(joined(fragment, box));
        default -> {
          // An index at the end, which no part needs.
        }
      }
    }
    init = head.toByteArray();
    parts.subList(parts.size() / PARTS_PER_SEGMENT * PARTS_PER_SEGMENT, parts.size()).clear();
    partTicks = decodeTime(parts.get(1)) - decodeTime(parts.get(0));
    for (int i = 0; i < parts.size(); i++) {
      if (decodeTime(parts.get(i)) != i * partTicks) {
        throw new IOException("part " + i + " of " + file + " has not the length of the others");
      }
    }
    Duration onAir = PART.multipliedBy((long) WINDOW * PARTS_PER_SEGMENT);
    startNanos = System.nanoTime() - onAir.toNanos();
    start = Instant.now().truncatedTo(ChronoUnit.MILLIS).minus(onAir);
  }

  private static String type(ByteBuffer bytes, int box) {
    byte[] type = new byte[4];
    bytes.get(box + 4, type);
    return new String(type, StandardCharsets.ISO_8859_1);
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  // The time of a fragment is a field of its box moof/traf/tfdt.

  private static long decodeTime(byte[] part) {
    ByteBuffer bytes = ByteBuffer.wrap(part);
    return bytes.getLong(decodeTimeAt(bytes));
  }

  private static int decodeTimeAt(ByteBuffer part) {
    int fragmentEnd = part.getInt(0);
    int track = child(part, 8, fragmentEnd, "traf");
    int time = child(part, track + 8, track + part.getInt(track), "tfdt");
    if (part.get(time + 8) != 1) {
      throw new IllegalArgumentException("a tfdt without 64 bits");
    }
    return time + 12;
  }

  private static int child(ByteBuffer bytes, int from, int end, String type) {
    for (int box = from; box < end; box += bytes.getInt(box)) {
      if (type(bytes, box).equals(type)) {
        return box;
      }
    }
    throw new IllegalArgumentException("no " + type);
  }

  // The clock.

  /** How many parts the channel has had. */
  private long count() {
    return (System.nanoTime() - startNanos) / PART.toNanos();
  }

  private void awaitCount(long count) {
    long due = startNanos + count * PART.toNanos();
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  // What is served.

  /** Answers one request. */
  void serve(PathOrigin.Exchange exchange) throws IOException {
    String path = exchange.request().path();
    Matcher media = MEDIA.matcher(path);
    if (path.equals(PLAYLIST)) {
      servePlaylist(exchange);
    } else if (path.equals(ROOT + "init.mp4")) {
      exchange.respond(200, FIELDS.formatted("video/mp4"), init);
    } else if (media.matches()) {
      long first = Long.parseLong(media.group(1)) * PARTS_PER_SEGMENT;
      if (media.group(2) == null) {
        serveParts(exchange, first, PARTS_PER_SEGMENT, count());
      } else {
        // The part that is hinted at is held; by the clock of a slow client it is the one after it.
        serveParts(exchange, first + Long.parseLong(media.group(2)), 1, count() + 2);
      }
    } else {
      missing(exchange);
    }
  }

  private static void missing(PathOrigin.Exchange exchange) throws IOException {
    exchange.respond(404, FIELDS.formatted("text/plain"), "not there\n");
  }

  private void serveParts(PathOrigin.Exchange exchange, long first, int number, long limit)
      throws IOException {
    if (first + number > limit) {
      missing(exchange);
      return;
    }
    awaitCount(first + number);
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (long part = first; part < first + number; part++) {
      byte[] bytes = parts.get((int) (part % parts.size())).clone();
      ByteBuffer view = ByteBuffer.wrap(bytes);
      view.putLong(decodeTimeAt(view), part * partTicks);
      body.writeBytes(bytes);
    }
    exchange.respond(200, FIELDS.formatted("video/mp4"), body.toByteArray());
  }

  private void servePlaylist(PathOrigin.Exchange exchange) throws IOException {
    String target = exchange.request().target();
    long needed = needed(target);
    long count = count();
    if (needed > count + 3L * PARTS_PER_SEGMENT) {
      exchange.respond(400, FIELDS.formatted("text/plain"), "too far ahead\n");
      return;
    }
    awaitCount(needed);
    exchange.respond(
        200, FIELDS.formatted(PLAYLIST_TYPE), playlist(count(), target.contains("_HLS_skip=YES")));
  }

  /** Whether a request waits for a part to come; its answer is the same for all who ask. */
  static boolean isBlocking(String target) {
    return SEQUENCE.matcher(target).find();
  }

  /** How many parts there have to be before the request is answered. */
  private static long needed(String target) {
    Matcher sequence = SEQUENCE.matcher(target);
    if (!sequence.find()) {
      return 0;
    }
    long first = Long.parseLong(sequence.group(1)) * PARTS_PER_SEGMENT;
    Matcher part = PART_NUMBER.matcher(target);
    return part.find()
        ? first + Math.min(Long.parseLong(part.group(1)), PARTS_PER_SEGMENT) + 1
        : first + PARTS_PER_SEGMENT;
  }

  private String playlist(long count, boolean isDelta) {
    double partSeconds = PART.toMillis() / 1000.0;
    double segmentSeconds = partSeconds * PARTS_PER_SEGMENT;
    long last = count / PARTS_PER_SEGMENT;
    long first = Math.max(0, last - WINDOW);
    StringBuilder text =
        new StringBuilder(
            """
            #EXTM3U
            #EXT-X-VERSION:9
            #EXT-X-TARGETDURATION:%d
            #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=%s,CAN-SKIP-UNTIL=%s
            #EXT-X-PART-INF:PART-TARGET=%s
            #EXT-X-MEDIA-SEQUENCE:%d
            """
                .formatted(
                    (int) segmentSeconds,
                    3 * partSeconds,
                    MIN_UNSKIPPED * segmentSeconds,
                    partSeconds,
                    first));
    if (isDelta && last - MIN_UNSKIPPED > first) {
      text.append("#EXT-X-SKIP:SKIPPED-SEGMENTS=%d\n".formatted(last - MIN_UNSKIPPED - first));
      first = last - MIN_UNSKIPPED;
    } else {
      text.append("#EXT-X-MAP:URI=\"init.mp4\"\n");
    }
    text.append(
        "#EXT-X-PROGRAM-DATE-TIME:%s\n".formatted(start.plus(PART.multipliedBy(first * 4))));
    for (long segment = first; segment <= last; segment++) {
      for (int part = 0; part < PARTS_PER_SEGMENT; part++) {
        if (segment >= last - SEGMENTS_WITH_PARTS && segment * PARTS_PER_SEGMENT + part < count) {
          text.append(
              "#EXT-X-PART:DURATION=%s,URI=\"%d.%d.m4s\"%s\n"
                  .formatted(partSeconds, segment, part, part == 0 ? ",INDEPENDENT=YES" : ""));
        }
      }
      if (segment < last) {
        text.append("#EXTINF:%s,\n%d.m4s\n".formatted(segmentSeconds, segment));
      }
    }
    return text.append(
            "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"%d.%d.m4s\"\n"
                .formatted(last, count % PARTS_PER_SEGMENT))
        .toString();
  }
}
