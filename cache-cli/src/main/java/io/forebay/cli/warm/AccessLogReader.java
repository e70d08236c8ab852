package io.forebay.cli.warm;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Reads access logs, gzipped or not, line by line, and counts the URLs in them. */
final class AccessLogReader {
  private final FrequentUrls urls;
  private final @Nullable String base;
  private final @Nullable Instant since;
  private long requests;
  private long withoutHost;

  /**
   * A reader.
   *
   * @param base scheme and host of lines that have none
   * @param since requests before that are not counted
   */
  AccessLogReader(FrequentUrls urls, @Nullable String base, @Nullable Instant since) {
    this.urls = urls;
    this.base = base;
    this.since = since;
  }

  /** Reads a file, or standard input for {@code -}. */
  void read(String file) throws IOException {
    if (file.equals("-")) {
      read(System.in, "stdin");
      return;
    }
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      read(in, file);
    }
  }

  /** Reads to the end. */
  void read(InputStream input, String source) throws IOException {
    BufferedInputStream in = new BufferedInputStream(input, 64 << 10);
    in.mark(2);
    byte[] magic = in.readNBytes(2);
    in.reset();
    boolean isGzip = magic.length == 2 && magic[0] == 0x1F && magic[1] == (byte) 0x8B;
    InputStream text =
        isGzip ? new BufferedInputStream(new GZIPInputStream(in, 64 << 10), 64 << 10) : in;
    Lines lines = new Lines(text);
    long read = 0;
    long unreadable = 0;
    long before = requests;
    for (String line = lines.next(); line != null; line = lines.next()) {
      if (line.isBlank()) {
        continue;
      }
      read++;
      AccessLogLine.Parsed parsed = AccessLogLine.parse(line);
      AccessLogLine request = parsed.line();
      if (request != null) {
        count(request);
      } else if (parsed.kind() == AccessLogLine.Kind.UNREADABLE) {
        unreadable++;
      }
    }
    if (unreadable > 0 && unreadable == read) {
      throw new CommandException(
          ExitCode.USAGE,
          source
              + " is no access log: give one of Forebay (JSON) or of the common or combined format");
    }
    if (withoutHost > 0 && requests == before) {
      throw new CommandException(
          ExitCode.USAGE, source + " does not name hosts: give --log-base http://HOST");
    }
  }

  private void count(AccessLogLine line) {
    Instant time = line.time();
    if (since != null && (time == null || time.isBefore(since))) {
      return;
    }
    String origin = line.base() == null ? base : line.base();
    if (origin == null) {
      withoutHost++;
      return;
    }
    requests++;
    urls.add(origin + line.target(), line.requests());
  }

  /** Requests that were counted. */
  long requests() {
    return requests;
  }

  /** Lines in ISO 8859-1; those that are too long are skipped as they are read. */
  private static final class Lines {
    private final InputStream in;
    private final byte[] line = new byte[AccessLogLine.MAX_LENGTH];

    Lines(InputStream in) {
      this.in = in;
    }

    @Nullable String next() throws IOException {
      while (true) {
        int length = 0;
        boolean isTooLong = false;
        int c = in.read();
        if (c < 0) {
          return null;
        }
        for (; c >= 0 && c != '\n'; c = in.read()) {
          if (length == line.length) {
            isTooLong = true;
          } else {
            line[length++] = (byte) c;
          }
        }
        if (!isTooLong) {
          return new String(line, 0, length, StandardCharsets.ISO_8859_1).stripTrailing();
        }
      }
    }
  }
}
