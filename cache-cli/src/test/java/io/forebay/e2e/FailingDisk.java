package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A mounted file system that fails on demand ({@code failing_fs.py}), over a directory that keeps
 * the data meanwhile. Closing unmounts it in any state.
 */
final class FailingDisk implements AutoCloseable {
  private final Path script;
  private final Path backing;
  private final Path mount;
  private final Path control;
  private final Path log;
  private @Nullable Process process;

  private FailingDisk(Path directory) throws IOException {
    script = directory.resolve("failing_fs.py");
    backing = Files.createDirectories(directory.resolve("backing"));
    mount = Files.createDirectories(directory.resolve("mount"));
    control = directory.resolve("control");
    log = directory.resolve("log");
    try (InputStream in = FailingDisk.class.getResourceAsStream("/failing_fs.py")) {
      Files.copy(Objects.requireNonNull(in), script, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Mounts one; where that is not possible here the test is skipped with a line that says why. */
  static FailingDisk mount(Path directory) throws Exception {
    Tools.requireFuse();
    FailingDisk disk = new FailingDisk(Files.createDirectories(directory));
    disk.obey("");
    disk.mount();
    return disk;
  }

  /** Where it is mounted. */
  Path path() {
    return mount;
  }

  /** The store's file, seen past the file system. */
  Path file() {
    return backing.resolve("disk.store");
  }

  /** Mounts it, again after {@link #vanish}. */
  void mount() throws Exception {
    Process started =
        new ProcessBuilder(
                Tools.PYTHON,
                script.toString(),
                backing.toString(),
                mount.toString(),
                control.toString())
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    process = started;
    Await.until(
        "the failing disk is mounted",
        () -> {
          if (!started.isAlive()) {
            throw new AssertionError("it could not be mounted: " + Files.readString(log));
          }
          return isMounted();
        });
  }

  private boolean isMounted() throws IOException {
    return Files.readString(Path.of("/proc/self/mounts"), StandardCharsets.UTF_8)
        .contains(" " + mount.toRealPath() + " fuse");
  }

  /** From now on it does as these words say; see the script. */
  void obey(String words) throws IOException {
    Path next = control.resolveSibling("control.next");
    Files.writeString(next, words);
    Files.move(next, control, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * It is gone, as if it had been pulled out: all who have a file of it open are left with errors.
   */
  void vanish() throws Exception {
    Process serving = process;
    process = null;
    if (serving != null) {
      serving.destroyForcibly();
    }
    // Also when it was never mounted: then there is nothing to be undone.
    Commands.run("umount", "-l", mount.toString());
    if (serving != null && !serving.waitFor(10, TimeUnit.SECONDS)) {
      throw new AssertionError("the failing disk does not end");
    }
  }

  @Override
  public void close() throws Exception {
    obey("");
    vanish();
  }
}
