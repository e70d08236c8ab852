package io.forebay.cli.console;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** The temporary directory of an edge that lives as long as a command; closing deletes it. */
public record ScratchDirectory(Path data, Path memory) implements AutoCloseable {
  private static final Path TMPFS = Path.of("/dev/shm");
  private static final long MARGIN_MIB = 64;

  /** The memory tier lies on a tmpfs where there is room for it, as in production. */
  public static ScratchDirectory make(String prefix, long memoryMib) throws IOException {
    Path data = Files.createTempDirectory(prefix);
    long needed = (memoryMib + MARGIN_MIB) << 20;
    if (Files.isWritable(TMPFS) && Files.getFileStore(TMPFS).getUsableSpace() > needed) {
      return new ScratchDirectory(data, Files.createTempDirectory(TMPFS, prefix));
    }
    return new ScratchDirectory(data, Files.createDirectory(data.resolve("memory")));
  }

  /**
   * Removes what processes that were killed have left of {@link #make}. Only directories of this
   * user, which nobody else can change meanwhile.
   *
   * @param prefix of these, up to the number of the process, a hyphen behind which ends it
   */
  public static void removeLeftBehind(String prefix) throws IOException {
    Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    for (Path parent : new Path[] {TMPFS, Path.of(System.getProperty("java.io.tmpdir"))}) {
      if (!Files.isDirectory(parent)) {
        continue;
      }
      try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, prefix + "*")) {
        for (Path directory : found) {
          if (isLeftBehind(directory, prefix)
              && user.equals(
                  Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
            delete(directory);
          }
        }
      }
    }
  }

  private static boolean isLeftBehind(Path directory, String prefix) {
    String rest = String.valueOf(directory.getFileName()).substring(prefix.length());
    int end = rest.indexOf('-');
    String pid = end < 0 ? "" : rest.substring(0, end);
    return pid.matches("[0-9]{1,10}")
        && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
        && ProcessHandle.of(Long.parseLong(pid)).isEmpty();
  }

  /** A free port of loopback; another process may take it before it is used. */
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    for (Path directory : new Path[] {memory, data}) {
      try {
        delete(directory);
      } catch (IOException left) {
        System.err.println("forebay: could not remove " + directory + ": " + left);
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path emptied, @Nullable IOException failed)
              throws IOException {
            Files.delete(emptied);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
