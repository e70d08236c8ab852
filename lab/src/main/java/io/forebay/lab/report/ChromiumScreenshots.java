package io.forebay.lab.report;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A headless Chromium that makes pictures of pages, each with a profile that is thrown away. */
record ChromiumScreenshots(Path program) {

  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "chrome");
  private static final int SECONDS = 60;

  /** The first of its names in the directories of a PATH. */
  static Optional<ChromiumScreenshots> find(String path) {
    return NAMES.stream()
        .flatMap(name ->
            Stream.of(path.split(File.pathSeparator, -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .map(ChromiumScreenshots::new);
  }

  /**
   * Makes a picture of a page, at twice the resolution.
   *
   * @return whether there is one
   */
  boolean picture(String page, Path png, int width, int height)
      throws IOException, InterruptedException {
    Path scratch = Files.createTempDirectory("forebay-lab-browser");
    try {
      Path html = Files.writeString(scratch.resolve("page.html"), page);
      Path picture = scratch.resolve("picture.png");
      Process process =
          new ProcessBuilder(
                  program.toString(),
                  "--headless",
                  "--no-sandbox",
                  "--disable-gpu",
                  "--disable-dev-shm-usage",
                  "--hide-scrollbars",
                  "--no-first-run",
                  "--force-device-scale-factor=2",
                  "--user-data-dir=" + scratch.resolve("profile"),
                  "--window-size=" + width + "," + height,
                  "--screenshot=" + picture,
                  html.toUri().toString())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      boolean isOver = false;
      try {
        isOver = process.waitFor(SECONDS, TimeUnit.SECONDS);
      } finally {
        if (!isOver) {
          process.descendants().forEach(ProcessHandle::destroyForcibly);
          process.destroyForcibly();
        }
      }
      if (!isOver || process.exitValue() != 0 || !Files.isRegularFile(picture)) {
        return false;
      }
      Files.write(png, Files.readAllBytes(picture));
      return true;
    } finally {
      delete(scratch);
    }
  }

  /** The browser's last processes may still write there, so what cannot be deleted is left. */
  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      // The files stay in the directory of temporary files; the report is complete.
    }
  }
}
