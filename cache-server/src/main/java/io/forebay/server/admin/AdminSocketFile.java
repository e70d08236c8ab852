package io.forebay.server.admin;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of the admin API's Unix-domain socket, with mode 0600. The socket is bound in a
 * directory that no other user can enter and renamed to its path once its mode is set, so no other
 * user can connect in between.
 */
final class AdminSocketFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdminSocketFile.class);
  private static final int TYPE_MASK = 0170000;
  private static final int SOCKET = 0140000;

  private final Path file;
  private final @Nullable Object key;

  private AdminSocketFile(Path file, @Nullable Object key) {
    this.file = file;
    this.key = key;
  }

  /** Listens on the file that it is given. */
  interface Binder {
    void bind(Path file) throws IOException;
  }

  /**
   * Finds out whether the file can be made, without making it.
   *
   * @throws IOException if it belongs to another user, is no socket, or is in use
   */
  static void check(Path file) throws IOException {
    Path directory = file.getParent();
    if (directory == null || !Files.isWritable(directory)) {
      throw failure(file, "its directory is missing or not writable");
    }
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (((int) attribute(file, "mode") & TYPE_MASK) != SOCKET) {
      throw failure(file, "a file of this name exists and is not a socket");
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.connect(UnixDomainSocketAddress.of(file));
    } catch (IOException nobodyThere) {
      // A process that was killed left it behind, or it belongs to another user: see bind.
      return;
    }
    throw failure(file, "another process listens on it");
  }

  static AdminSocketFile bind(Path file, Binder binder) throws IOException {
    check(file);
    Path directory =
        Files.createTempDirectory(
            file.getParent(),
            ".f",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path inner = directory.resolve("s");
    try {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
          && !attribute(file, "uid").equals(attribute(directory, "uid"))) {
        throw failure(file, "the socket of this name belongs to another user");
      }
      binder.bind(inner);
      Files.setPosixFilePermissions(inner, PosixFilePermissions.fromString("rw-------"));
      Files.move(inner, file, StandardCopyOption.ATOMIC_MOVE);
      return new AdminSocketFile(file, key(file));
    } finally {
      Files.deleteIfExists(inner);
      Files.deleteIfExists(directory);
    }
  }

  /** Removes the file, unless another process has replaced it. */
  @Override
  public void close() {
    try {
      if (key != null && key.equals(key(file))) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      LOG.debug("{} is gone already: {}", file, e.toString());
    }
  }

  private static @Nullable Object key(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  private static Object attribute(Path file, String name) throws IOException {
    return Files.getAttribute(file, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
  }

  private static IOException failure(Path file, String why) {
    return new IOException("admin unix:" + file + ": " + why);
  }
}
