package io.forebay.lab.target;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Programs of the machine, and what short commands print. */
public final class Programs {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long MAX_OUTPUT_BYTES = 16L << 20;
  private static final Pattern VERSION = Pattern.compile("[0-9]+\\.[0-9]+[0-9A-Za-z.+~-]*");

  /** Where servers are; the PATH of ordinary users leaves these out. */
  private static final String SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin";

  private Programs() {}

  /** Where a program is, of the PATH or of the places of servers. */
  public static Optional<Path> find(String name) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("/usr/bin:/bin");
    for (String directory :
        (path + File.pathSeparator + SYSTEM_PATH).split(File.pathSeparator, -1)) {
      Path file = Path.of(directory.isEmpty() ? "." : directory, name).toAbsolutePath();
      if (Files.isRegularFile(file) && Files.isExecutable(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  /** Null, or a sentence that says which package of Debian to install. */
  static @Nullable String missing(String name, String debianPackage) {
    return find(name).isPresent()
        ? null
        : name + " is not installed: apt-get install " + debianPackage;
  }

  /** Its path as a word of a command. */
  static String path(String name, String debianPackage) throws IOException {
    return find(name)
        .orElseThrow(
            () -> new IOException(name + " is not installed: apt-get install " + debianPackage))
        .toString();
  }

  /** What a command prints, its errors included; it must end well and soon. */
  public static String output(List<String> command) throws IOException, InterruptedException {
    return output(command, true);
  }

  /** The same without what it says on its standard error. */
  static String result(List<String> command) throws IOException, InterruptedException {
    return output(command, false);
  }

  private static String output(List<String> command, boolean isWithErrors)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("forebay-lab", ".out");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(out.toFile());
      if (isWithErrors) {
        builder.redirectErrorStream(true);
      } else {
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
      }
      Process process = builder.start();
      try {
        if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
          throw new IOException(command + " still runs after " + LIMIT.toSeconds() + " s");
        }
      } finally {
        process.destroyForcibly();
      }
      if (Files.size(out) > MAX_OUTPUT_BYTES) {
        throw new IOException(command + " printed more than " + MAX_OUTPUT_BYTES + " bytes");
      }
      String text = Files.readString(out, StandardCharsets.UTF_8);
      if (process.exitValue() != 0) {
        throw new IOException(command + " ended with " + process.exitValue() + ": " + text.strip());
      }
      return text;
    } finally {
      Files.delete(out);
    }
  }

  /** The first version number in what a program says of itself. */
  static String version(String text) throws IOException {
    Matcher matcher = VERSION.matcher(text);
    if (!matcher.find()) {
      throw new IOException("no version in: " + text.strip());
    }
    return matcher.group();
  }
}
