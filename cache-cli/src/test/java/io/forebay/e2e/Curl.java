package io.forebay.e2e;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;

/** Runs curl as a client. */
final class Curl {
  private static final int LIMIT_SECONDS = 60;

  private Curl() {}

  /**
   * What one call brought.
   *
   * @param exit curl's exit code: 18 is a transfer that ended early
   * @param sha256 of the body
   */
  record Result(
      int exit, int status, String httpVersion, List<String> headers, long length, String sha256) {

    /** Value of the last such field, or empty. */
    String field(String name) {
      String start = name.toLowerCase(Locale.ROOT) + ":";
      return headers.stream()
          .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start))
          .reduce((first, last) -> last)
          .map(line -> line.substring(start.length()).strip())
          .orElse("");
    }
  }

  /** A call under way. */
  record Started(Process process, Path body, Path headers, Path meta) {
    Result finish() throws InterruptedException {
      try {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
          Assertions.fail("curl still ran after " + LIMIT_SECONDS + " s");
        }
        String[] written = Files.readString(meta).strip().split(" ", -1);
        return new Result(
            process.exitValue(),
            written.length == 2 ? Integer.parseInt(written[0]) : 0,
            written.length == 2 ? written[1] : "",
            Files.readAllLines(headers, StandardCharsets.ISO_8859_1),
            Files.size(body),
            sha256(body));
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      } finally {
        process.destroyForcibly().waitFor();
        delete(body);
        delete(headers);
        delete(meta);
      }
    }

    /** Bytes of the body that have come so far. */
    long receivedBytes() throws IOException {
      return Files.size(body);
    }
  }

  static Result get(String url, String... options) throws IOException, InterruptedException {
    return start(url, options).finish();
  }

  static Started start(String url, String... options) throws IOException {
    String curl = Tools.require("curl").toString();
    Path body = Files.createTempFile("forebay-e2e", ".body");
    Path headers = Files.createTempFile("forebay-e2e", ".headers");
    Path meta = Files.createTempFile("forebay-e2e", ".meta");
    List<String> command =
        new ArrayList<>(
            List.of(
                curl,
                "--silent",
                "--no-buffer",
                "--path-as-is",
                "--noproxy",
                "*",
                "--max-time",
                Integer.toString(LIMIT_SECONDS - 5),
                "--dump-header",
                headers.toString(),
                "--output",
                body.toString(),
                "--write-out",
                "%{http_code} %{http_version}"));
    command.addAll(List.of(options));
    command.add(url);
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(meta.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    return new Started(process, body, headers, meta);
  }

  static String sha256(Path file) throws IOException {
    MessageDigest digest = digest();
    try (var in = new DigestInputStream(Files.newInputStream(file), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  static String sha256(byte[] bytes) {
    return HexFormat.of().formatHex(digest().digest(bytes));
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException left) {
      throw new UncheckedIOException(left);
    }
  }
}
