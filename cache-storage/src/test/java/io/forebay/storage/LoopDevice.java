package io.forebay.storage;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * A file system (ext4) on a loop device over a sparse file: writes and trims of the store reach a
 * block device of the kernel. Without root, {@code losetup} or {@code mkfs.ext4} the test is
 * skipped, or fails if {@code CI=true} states that all are there; without loop devices, which a
 * container may lack, it is skipped.
 */
final class LoopDevice implements AutoCloseable {
  private static final long LIMIT_SECONDS = 60;

  private final Path image;
  private final Path mount;
  private final String device;
  private boolean isMounted;

  private LoopDevice(Path image, Path mount, String device) {
    this.image = image;
    this.mount = mount;
    this.device = device;
  }

  /**
   * Makes one.
   *
   * @param options of the mount
   */
  static LoopDevice make(Path directory, long bytes, String options) throws Exception {
    if (!"root".equals(System.getProperty("user.name"))) {
      throw missing("only root may mount file systems");
    }
    for (String program : List.of("losetup", "mkfs.ext4", "mount", "umount")) {
      if (!isThere(program)) {
        throw missing(program + " is missing: apt-get install e2fsprogs mount");
      }
    }
    Path image = Files.createDirectories(directory).resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
    }
    return of(directory, image, true, options);
  }

  private static LoopDevice of(Path directory, Path image, boolean isNew, String options)
      throws Exception {
    Path mount = Files.createDirectories(directory.resolve("mount"));
    String device;
    try {
      device = run("losetup", "--find", "--show", image.toString()).strip();
    } catch (IOException e) {
      // No package provides the device: skip, never fail.
      throw skipped("no loop device: " + e.getMessage());
    }
    LoopDevice made = new LoopDevice(image, mount, device);
    boolean done = false;
    try {
      if (isNew) {
        run("mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=0", device);
      }
      made.mount(options);
      done = true;
      return made;
    } finally {
      if (!done) {
        made.close();
      }
    }
  }

  private static RuntimeException missing(String why) {
    return "true".equals(System.getenv("CI"))
        ? Assertions.<RuntimeException>fail(why)
        : skipped(why);
  }

  private static RuntimeException skipped(String why) {
    System.out.println("skipped: " + why);
    return Assumptions.<RuntimeException>abort(why);
  }

  private static boolean isThere(String program) {
    return List.of("/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/").stream()
        .anyMatch(directory -> Files.isExecutable(Path.of(directory + program)));
  }

  void mount(String options) throws Exception {
    run("mount", "-o", options, device, mount.toString());
    isMounted = true;
  }

  void unmount() throws Exception {
    isMounted = false;
    run("umount", mount.toString());
  }

  /** Where it is mounted. */
  Path path() {
    return mount;
  }

  /** How much of the file below the device has blocks. */
  long allocatedBytes() throws Exception {
    run("sync", "--file-system", mount.toString());
    return 512 * Long.parseLong(run("stat", "--format=%b", image.toString()).strip());
  }

  /**
   * What a loss of power leaves now, on a device of its own: what has reached the device, and not
   * what the kernel has yet to write.
   */
  LoopDevice powerCut(Path directory, String options) throws Exception {
    Path copy = Files.createDirectories(directory).resolve("image");
    run("cp", "--sparse=always", image.toString(), copy.toString());
    return of(directory, copy, false, options);
  }

  /** Cuts the device short: from now on, most of it answers with errors. */
  void die() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(1 << 20);
    }
  }

  @Override
  public void close() throws Exception {
    if (isMounted) {
      run("umount", "--lazy", mount.toString());
    }
    run("losetup", "--detach", device);
    Files.deleteIfExists(image);
  }

  /** Runs a program to its end; gives what it printed. */
  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException(String.join(" ", command) + " does not end");
    }
    if (process.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + ": " + output.strip());
    }
    return output;
  }
}
