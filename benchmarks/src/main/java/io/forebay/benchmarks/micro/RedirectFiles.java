package io.forebay.benchmarks.micro;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of redirect maps as a site that was rebuilt has them. */
final class RedirectFiles {
  private RedirectFiles() {}

  /** What entry number {@code i} is for. */
  static String from(int i) {
    return "/articles/" + i % 100 + "/an-old-title-of-some-length-" + i + ".html";
  }

  /** A new temporary file; every tenth entry is a prefix. */
  static Path write(int entries) {
    try {
      Path file = Files.createTempFile("forebay-bench-", ".redirects");
      try (BufferedWriter out = Files.newBufferedWriter(file)) {
        for (int i = 0; i < entries; i++) {
          out.write(
              i % 10 == 9
                  ? "/section-" + i + "/* /news/section-" + i + "/:splat\n"
                  : from(i) + " /news/" + i + "/a-new-title 308\n");
        }
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
