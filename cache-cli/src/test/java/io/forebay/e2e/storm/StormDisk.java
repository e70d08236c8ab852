package io.forebay.e2e.storm;

import io.forebay.testing.Commands;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A small file system of a node's own, in the mount namespace of this process: it can be full, and
 * it can stop to write for a time.
 */
final class StormDisk {
  private static final int BLOCK = 4096;

  private final Path mount;

  StormDisk(Path directory) throws IOException, InterruptedException {
    Path image = Files.createDirectories(directory).resolve("image");
    mount = Files.createDirectories(directory.resolve("mount"));
    run("truncate", "-s", "48M", image.toString());
    run("mkfs.ext4", "-q", "-F", image.toString());
    run("mount", "-o", "loop", image.toString(), mount.toString());
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Commands.Finished ignored = Commands.run(command).orFail();
  }

  Path data() {
    return mount.resolve("data");
  }

  /** Takes all the room that is left. */
  void fill() throws IOException {
    try (OutputStream out = Files.newOutputStream(filler())) {
      byte[] block = new byte[BLOCK];
      while (true) {
        out.write(block);
      }
    } catch (IOException full) {
      if (!String.valueOf(full.getMessage()).contains("No space left")) {
        throw full;
      }
    }
  }

  void empty() throws IOException {
    Files.deleteIfExists(filler());
  }

  private Path filler() {
    return mount.resolve("filler");
  }

  /** From here on every write waits. A file system that stays frozen cannot be unmounted. */
  void freeze() throws IOException, InterruptedException {
    run("fsfreeze", "-f", mount.toString());
  }

  void thaw() throws IOException, InterruptedException {
    run("fsfreeze", "-u", mount.toString());
  }
}
