package io.forebay.e2e;

import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assertions;

/** Real files for an origin, with random bytes and an age of ten days. */
final class Tree {
  private static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT);

  private final Path root;
  private final SplittableRandom random;
  private final Instant modified = Instant.now().minus(Duration.ofDays(10));

  Tree(Path root, long seed) {
    this.root = root;
    this.random = new SplittableRandom(seed);
  }

  /**
   * A file of the tree.
   *
   * @param path as in a URL, with its leading slash
   */
  @SuppressWarnings("ArrayRecordComponent") // Made once, read by tests.
  record Entry(String path, byte[] bytes, String sha256) {
    int length() {
      return bytes.length;
    }

    void assertSame(Curl.Result result) {
      Assertions.assertEquals(0, result.exit(), () -> "curl's exit for " + path);
      Assertions.assertEquals(200, result.status(), () -> "status of " + path);
      Assertions.assertEquals(bytes.length, result.length(), () -> "length of " + path);
      Assertions.assertEquals(sha256, result.sha256(), () -> "SHA-256 of " + path);
    }

    void assertSame(Response response) {
      Assertions.assertEquals(200, response.status(), () -> "status of " + path + ": " + response);
      Assertions.assertEquals(
          sha256, Curl.sha256(response.body()), () -> "SHA-256 of " + path + ": " + response);
    }
  }

  /** In the form that HTTP writes dates in. */
  static String httpDate(Instant time) {
    return HTTP_DATE.format(time.atZone(ZoneOffset.UTC));
  }

  /** When all of its files were last modified. */
  Instant modified() {
    return modified;
  }

  /** Writes, or writes anew, a file. */
  Entry write(String path, int lengthBytes) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    random.nextBytes(bytes);
    return write(path, bytes);
  }

  /** Writes, or writes anew, a file of these bytes. */
  Entry write(String path, byte[] bytes) throws IOException {
    Path file = root.resolve(path.substring(1));
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, FileTime.from(modified));
    return new Entry(path, bytes, Curl.sha256(bytes));
  }
}
