package io.forebay.server.drive;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs the program: without a shell, for a limited time, and reads a limited output. */
final class Smartctl {
  private static final int MAX_OUTPUT = 1 << 20;

  private final Path program;
  private final Duration timeout;

  Smartctl(Path program, Duration timeout) {
    this.program = program;
    this.timeout = timeout;
  }

  /** What it prints of a drive, whatever its exit status: that is in the JSON. */
  byte[] report(String drive) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(program.toString(), "--json=c", "--all", "/dev/" + drive)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    Process process = builder.start();
    AtomicBoolean isLate = new AtomicBoolean();
    Thread guard =
        Thread.ofVirtual()
            .start(() -> {
              try {
                if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                  isLate.set(true);
                  kill(process);
                }
              } catch (InterruptedException e) {
                // It has ended.
                Thread.currentThread().interrupt();
              }
            });
    try (InputStream output = process.getInputStream()) {
      ByteArrayOutputStream read = new ByteArrayOutputStream();
      byte[] part = new byte[8192];
      int length;
      while ((length = output.read(part)) >= 0) {
        read.write(part, 0, length);
        if (read.size() > MAX_OUTPUT) {
          throw new IOException(program + " printed more than " + MAX_OUTPUT + " bytes");
        }
      }
      if (isLate.get()) {
        throw new IOException(program + " took longer than " + timeout.toSeconds() + " s");
      }
      return read.toByteArray();
    } finally {
      guard.interrupt();
      kill(process);
    }
  }

  /** Also what it started: a wrapper's child holds the pipe open. */
  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
