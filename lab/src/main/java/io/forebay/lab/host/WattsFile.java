package io.forebay.lab.host;

import java.io.BufferedReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Readings of an outside meter: lines with a time and watts, oldest first. A header is allowed.
 *
 * <pre>
 *   time,watts
 *   2026-01-31T12:00:00.5Z,412.5        or  1769860800.5,412.5
 * </pre>
 *
 * <p>A reading holds until the next one, but no longer than three times the usual distance between
 * readings and at least two seconds; the time behind that is a gap. A mean over a time with more
 * than a tenth of gaps is not known.
 *
 * <p>The file is read again when a mean beyond its last reading is asked for: the meter may still
 * be writing it. One thread at a time.
 */
final class WattsFile implements PowerMeter {
  /** One each 10 ms for eleven hours. */
  private static final int MAX_READINGS = 4_000_000;

  private static final int MAX_LINE = 200;
  private static final double MAX_WATTS = 1e7;
  private static final long NANOS = 1_000_000_000L;
  private static final long MIN_HOLD_NANOS = 2 * NANOS;
  private static final double MAX_GAPS = 0.1;

  private final Path file;
  private Readings readings;

  /** How long the file was before it was read. */
  private long readBytes;

  /** Times since 1970 in nanoseconds, and what was read then; the first {@code count} count. */
  @SuppressWarnings("ArrayRecordComponent") // Filled once, never compared.
  private record Readings(long[] nanos, double[] watts, int count, long holdNanos) {}

  /** Watt-nanoseconds between two moments, and how much of the time readings cover. */
  private record Cover(double wattNanos, long nanos, long lengthNanos) {
    double share() {
      return lengthNanos == 0 ? 0 : (double) nanos / lengthNanos;
    }
  }

  private WattsFile(Path file, Readings readings, long readBytes) {
    this.file = file;
    this.readings = readings;
    this.readBytes = readBytes;
  }

  static WattsFile read(Path file) throws IOException {
    long bytes = Files.exists(file) ? Files.size(file) : 0;
    return new WattsFile(file, readings(file), bytes);
  }

  @Override
  public String source() {
    return "meter: " + file.getFileName();
  }

  @Override
  public double joules() {
    return 0;
  }

  @Override
  public @Nullable Double watts(Moment from, Moment to) {
    return watts(from.at(), to.at());
  }

  /** Mean between two times, or null where more than a tenth of it has no readings. */
  @Nullable Double watts(Instant from, Instant to) {
    Cover cover = cover(from, to);
    return cover.nanos == 0 || cover.share() < 1 - MAX_GAPS ? null : cover.wattNanos / cover.nanos;
  }

  @Override
  public List<String> remarks(Moment from, Moment to) {
    Cover cover = cover(from.at(), to.at());
    if (cover.share() > 0.999) {
      return List.of();
    }
    Readings all = readings;
    String span =
        all.count == 0
            ? "no readings"
            : "readings from " + time(all.nanos[0]) + " to " + time(all.nanos[all.count - 1]);
    return List.of(
        String.format(
            Locale.ROOT,
            "%s covers %d %% of the time from %s to %s%s; it has %s",
            file.getFileName(),
            cover.lengthNanos == 0 ? 0 : cover.nanos * 100 / cover.lengthNanos,
            from.at(),
            to.at(),
            cover.share() < 1 - MAX_GAPS ? ", so watts are not known" : "",
            span));
  }

  private static Instant time(long nanos) {
    return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS));
  }

  private Cover cover(Instant from, Instant to) {
    long begin = nanos(from);
    long end = nanos(to);
    if (readings.count == 0 || readings.nanos[readings.count - 1] < end) {
      refresh();
    }
    Readings all = readings;
    int at = Arrays.binarySearch(all.nanos, 0, all.count, begin);
    // The last one before the moment holds there.
    int first = Math.max(0, at >= 0 ? at : -at - 2);
    double wattNanos = 0;
    long covered = 0;
    for (int n = first; n < all.count && all.nanos[n] < end; n++) {
      long next = n + 1 < all.count ? all.nanos[n + 1] : Long.MAX_VALUE;
      long until = Math.min(Math.min(next, all.nanos[n] + all.holdNanos), end);
      long part = until - Math.max(all.nanos[n], begin);
      if (part > 0) {
        wattNanos += part * all.watts[n];
        covered += part;
      }
    }
    return new Cover(wattNanos, covered, Math.max(0, end - begin));
  }

  /** What was read stays where the file has become unreadable: a meter may be in mid-line. */
  private void refresh() {
    try {
      long bytes = Files.size(file);
      if (bytes != readBytes) {
        Readings now = readings(file);
        readBytes = bytes;
        if (now.count > readings.count) {
          readings = now;
        }
      }
    } catch (IOException e) {
      return;
    }
  }

  private static Readings readings(Path file) throws IOException {
    Filling filling = new Filling(file);
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c >= 0; c = in.read()) {
        if (c == '\n') {
          filling.take(line.toString().strip());
          line.setLength(0);
        } else if (line.length() == MAX_LINE) {
          throw filling.tooLong();
        } else {
          line.append((char) c);
        }
      }
      // A last line without its end may be half of a reading that the meter is writing.
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": no such file; --watts needs the meter's CSV", e);
    } catch (MalformedInputException e) {
      throw new IOException(file + ": not a text file; --watts needs lines with time,watts", e);
    }
    return filling.done();
  }

  /** Readings line by line. */
  private static final class Filling {
    private final Path file;
    private long[] nanos = new long[1024];
    private double[] watts = new double[1024];
    private int count;
    private int lines;

    Filling(Path file) {
      this.file = file;
    }

    void take(String line) throws IOException {
      lines++;
      if (line.isEmpty()) {
        return;
      }
      String[] words = line.split(",", -1);
      if (words.length != 2) {
        throw wrong("a line needs a time and watts with a comma between them, and nothing else");
      }
      if (lines == 1 && isHeader(words)) {
        return;
      }
      if (count == MAX_READINGS) {
        throw wrong("more than " + MAX_READINGS + " readings; average them, one a second will do");
      }
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, count * 2);
        watts = Arrays.copyOf(watts, count * 2);
      }
      nanos[count] = time(words[0].strip());
      watts[count] = watts(words[1].strip());
      if (count > 0 && nanos[count] < nanos[count - 1]) {
        throw wrong(words[0].strip() + " is earlier than the line before");
      }
      count++;
    }

    private long time(String text) throws IOException {
      try {
        if (text.matches("[0-9]{1,10}(\\.[0-9]{1,9})?")) {
          return new BigDecimal(text).movePointRight(9).longValueExact();
        }
        return WattsFile.nanos(
            OffsetDateTime.parse(text, DateTimeFormatter.ISO_OFFSET_DATE_TIME).toInstant());
      } catch (DateTimeException | ArithmeticException e) {
        throw wrong(
            "'"
                + text
                + "' is no time: RFC 3339 with a zone, such as 2026-01-31T12:00:00Z, or seconds"
                + " since 1970");
      }
    }

    private double watts(String text) throws IOException {
      if (text.matches("[0-9]{1,8}(\\.[0-9]{1,9})?")) {
        double value = Double.parseDouble(text);
        if (value <= MAX_WATTS) {
          return value;
        }
      }
      throw wrong("'" + text + "' is no power in watts, such as 412.5");
    }

    /** Of the line behind those that were taken. */
    IOException tooLong() {
      lines++;
      return wrong("longer than " + MAX_LINE + " characters");
    }

    private IOException wrong(String what) {
      return new IOException(file + ":" + lines + ": " + what);
    }

    Readings done() {
      return new Readings(nanos, watts, count, hold(nanos, count));
    }
  }

  /** Names in place of both: neither a digit nor a sign at the beginning. */
  private static boolean isHeader(String[] words) {
    return Arrays.stream(words)
        .map(String::strip)
        .allMatch(word -> !word.isEmpty() && !"0123456789+-.".contains(word.substring(0, 1)));
  }

  private static long hold(long[] nanos, int count) {
    if (count < 2) {
      return MIN_HOLD_NANOS;
    }
    long[] distances = new long[count - 1];
    for (int n = 0; n < distances.length; n++) {
      distances[n] = nanos[n + 1] - nanos[n];
    }
    Arrays.sort(distances);
    long usual = distances[distances.length / 2];
    return usual > Long.MAX_VALUE / 8 ? MIN_HOLD_NANOS : Math.max(MIN_HOLD_NANOS, 3 * usual);
  }

  private static long nanos(Instant time) {
    return Math.addExact(Math.multiplyExact(time.getEpochSecond(), NANOS), time.getNano());
  }
}
