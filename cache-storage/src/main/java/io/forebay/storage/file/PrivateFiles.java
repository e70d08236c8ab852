package io.forebay.storage.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens files that only the user of this process may read and write. Files are made with mode 0600,
 * directories with 0700; wider modes of files that exist are tightened. A file is opened only if it
 * is a regular file and no symbolic link, owned by this user, by root, or by the owner of its
 * directory, who could replace it in any case. Any thread; blocks for the file system.
 */
public final class PrivateFiles {
  private static final Logger LOG = LoggerFactory.getLogger(PrivateFiles.class);

  private static final Set<PosixFilePermission> FILE_MODE =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> DIRECTORY_MODE =
      PosixFilePermissions.fromString("rwx------");

  private static final Set<OpenOption> EXISTING =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  private static final Set<OpenOption> ANY =
      Set.of(
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          StandardOpenOption.CREATE,
          LinkOption.NOFOLLOW_LINKS);
  private static final Set<OpenOption> FRESH =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
  private static final Set<OpenOption> READING =
      Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

  static final int PERMISSIONS = 0777;
  private static final int OTHERS = 0077;
  private static final int OTHERS_WRITE = 0022;
  private static final int WORLD_WRITES = 0002;
  private static final int TYPE = 0170000;
  private static final int REGULAR = 0100000;
  private static final int DIRECTORY = 0040000;
  private static final int LINK = 0120000;

  private PrivateFiles() {}

  /** Opens a file that exists, to read and write it. */
  public static FileChannel open(Path file) throws IOException {
    if (!check(file)) {
      throw new NoSuchFileException(file.toString());
    }
    return FileChannel.open(file, EXISTING);
  }

  /** Opens a file to read and write it, and makes it if it does not exist. */
  public static FileChannel openOrCreate(Path file) throws IOException {
    boolean ignored = check(file);
    return FileChannel.open(file, ANY, attributes(file, FILE_MODE));
  }

  /**
   * Makes an empty file to read and write, in place of whatever has the name; not through a link.
   */
  public static FileChannel createNew(Path file) throws IOException {
    Files.deleteIfExists(file);
    return FileChannel.open(file, FRESH, attributes(file, FILE_MODE));
  }

  /** Has names that were made, changed and removed in a directory outlast a loss of power. */
  public static void forceNames(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Opens a file to read it. Its mode and its owner do not matter, for it is not changed. */
  public static FileChannel openToRead(Path file) throws IOException {
    Status status = status(file);
    if (status != null) {
      requireRegular(file, status);
    }
    return FileChannel.open(file, READING);
  }

  /** Whether every user may read a file; false where the file system has no modes. */
  public static boolean isReadableByAll(Path file) {
    try {
      return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** Whether something has this name, be it a link that leads nowhere. */
  public static boolean exists(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Checks a file that may exist, and tightens its mode.
   *
   * @return whether it exists
   * @throws UnsafeFileException when another user may have put it there
   */
  public static boolean check(Path file) throws IOException {
    Status status = status(file);
    if (status == null) {
      return exists(file);
    }
    requireRegular(file, status);
    int user = user();
    if (user >= 0 && status.owner() != user && status.owner() != 0) {
      Status directory = status(file.toAbsolutePath().getParent(), true);
      if (directory == null || directory.owner() != status.owner()) {
        throw new UnsafeFileException(
            file
                + " belongs to user "
                + status.owner()
                + ", this process runs as user "
                + user
                + ": change its owner, or move it away");
      }
    }
    if ((status.mode() & OTHERS) != 0) {
      tighten(file, FILE_MODE, status);
    }
    return true;
  }

  /**
   * Makes a directory with mode 0700 where there is none, and what is missing above it with the
   * usual modes. One that exists may be a link and anybody's; a line in the log warns if every user
   * may write to it.
   */
  public static void createDirectories(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      Status status = status(directory, true);
      if (status != null && (status.mode() & WORLD_WRITES) != 0) {
        LOG.warn(
            "{} can be written by every user of this machine: remove that permission (chmod"
                + " o-w)",
            directory);
      }
      return;
    }
    requireNoFile(directory);
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
  }

  /** A name on the way to the directory that is a file is what the operator has to know. */
  private static void requireNoFile(Path directory) throws NoDirectoryException {
    for (Path part = directory.toAbsolutePath(); part != null; part = part.getParent()) {
      if (Files.exists(part)) {
        if (!Files.isDirectory(part)) {
          throw new NoDirectoryException(
              part + " is a file where a directory is needed: move it away, or name another path");
        }
        return;
      }
    }
  }

  /**
   * The same, but only its last name: where what lies above it is missing, a disk is not mounted,
   * and what would be made would lie on another one.
   */
  public static void createLastDirectory(Path directory) throws IOException {
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw new NoDirectoryException(
          "there is no directory "
              + parent
              + " for "
              + directory
              + ": mount its disk, or create the directory");
    }
    createDirectories(directory);
  }

  /** Makes a directory with mode 0700; whatever has the name already is an exception. */
  static void createDirectory(Path directory) throws IOException {
    Files.createDirectory(directory, attributes(directory, DIRECTORY_MODE));
  }

  /**
   * Why a directory is not this user's alone, or null if it is. One that nobody else could write to
   * is tightened to mode 0700.
   */
  static @Nullable String problem(Path directory) throws IOException {
    Status status = status(directory);
    if (status == null) {
      return "it cannot be read";
    }
    if ((status.mode() & TYPE) == LINK) {
      return "it is a symbolic link";
    }
    if ((status.mode() & TYPE) != DIRECTORY) {
      return "it is not a directory";
    }
    int user = user();
    if (user >= 0 && status.owner() != user) {
      return "it belongs to user " + status.owner();
    }
    if ((status.mode() & OTHERS_WRITE) != 0) {
      return "other users can write to it";
    }
    if ((status.mode() & OTHERS) != 0) {
      tighten(directory, DIRECTORY_MODE, status);
    }
    return null;
  }

  /** What stat says. */
  private record Status(int mode, int owner) {}

  private static @Nullable Status status(Path path) throws IOException {
    return status(path, false);
  }

  /** Null where there is nothing, or the file system knows neither owners nor modes. */
  private static @Nullable Status status(@Nullable Path path, boolean isFollowing)
      throws IOException {
    if (path == null || !path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return null;
    }
    LinkOption[] options =
        isFollowing ? new LinkOption[0] : new LinkOption[] {LinkOption.NOFOLLOW_LINKS};
    try {
      Map<String, Object> read = Files.readAttributes(path, "unix:mode,uid", options);
      return read.get("mode") instanceof Integer mode && read.get("uid") instanceof Integer owner
          ? new Status(mode, owner)
          : null;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static void requireRegular(Path file, Status status) throws UnsafeFileException {
    int type = status.mode() & TYPE;
    if (type == LINK) {
      throw new UnsafeFileException(
          file
              + " is a symbolic link, which is not followed: remove it, or name another directory");
    }
    if (type != REGULAR) {
      throw new UnsafeFileException(file + " is not a regular file: move it away");
    }
  }

  private static void tighten(Path path, Set<PosixFilePermission> mode, Status status) {
    PosixFileAttributeView view =
        Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    try {
      view.setPermissions(mode);
      LOG.info(
          "the mode of {} was changed from {} to {}",
          path,
          Integer.toOctalString(status.mode() & PERMISSIONS),
          PosixFilePermissions.toString(mode));
    } catch (IOException e) {
      // On a file system without modes, or in a directory of another user.
      LOG.warn(
          "{} can be read or written by other users, and its mode {} cannot be changed: {}",
          path,
          Integer.toOctalString(status.mode() & PERMISSIONS),
          e.toString());
    }
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> mode) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(mode)}
        : new FileAttribute<?>[0];
  }

  /**
   * As whom this process makes files; -1 where that can't be read, and then no owner is compared.
   */
  static int user() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("Uid:")) {
          // Real, effective, saved, file system.
          return Integer.parseUnsignedInt(line.split("\\s+", -1)[4]);
        }
      }
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return -1;
    }
    return -1;
  }
}
