package io.forebay.storage.memory;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.TierHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.OptionalLong;

/** Makes the files of tiers, with blocks for all that is mapped of them. */
final class TierFileMaker {
  private static final int ZEROS = 1 << 20;

  private TierFileMaker() {}

  /**
   * Makes a file, unless there is one of that length. Made files are written from end to end, so
   * that a full file system is an exception here and not a signal later.
   *
   * @param groupReserveBytes what stays free in a control group that the file counts in; negative
   *     where it counts in none
   * @param key of the configuration that sets its size
   * @return whether it was made
   */
  static boolean prepare(
      Path file, long lengthBytes, long groupReserveBytes, Headroom headroom, String key)
      throws IOException {
    return prepare(file, lengthBytes, groupReserveBytes, headroom, key, NodeBinding.NONE);
  }

  /**
   * The same.
   *
   * @param nodes where the pages of a file that is made come from
   */
  static boolean prepare(
      Path file,
      long lengthBytes,
      long groupReserveBytes,
      Headroom headroom,
      String key,
      NodeBinding nodes)
      throws IOException {
    boolean exists = PrivateFiles.check(file);
    if (exists) {
      refuseForeign(file);
    }
    if (exists && Files.size(file) == lengthBytes) {
      return false;
    }
    // What the old file holds is given back before the room is measured.
    Files.deleteIfExists(file);
    make(file, lengthBytes, groupReserveBytes, headroom, key, nodes);
    return true;
  }

  private static void refuseForeign(Path file) throws IOException {
    try (FileChannel channel = PrivateFiles.openToRead(file)) {
      ByteBuffer start = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      if (channel.read(start, 0) == Long.BYTES) {
        long magic = start.getLong(0);
        if (magic != 0 && !TierHeader.isOurs(magic)) {
          throw new ForeignFileException(
              file + " is not a Forebay memory tier: move it away or name another directory");
        }
      }
    }
  }

  /** Under another name until it is whole, since it has its length from the beginning. */
  private static void make(
      Path file,
      long lengthBytes,
      long groupReserveBytes,
      Headroom headroom,
      String key,
      NodeBinding nodes)
      throws IOException {
    Path made = file.resolveSibling(file.getFileName() + ".new");
    try {
      try (FileChannel channel = PrivateFiles.createNew(made)) {
        checkRoom(made, lengthBytes, groupReserveBytes, headroom, key);
        if (MountedFileSystem.under(made.toRealPath()).isHugeTlb()) {
          allocate(made, lengthBytes, key);
        } else {
          fill(channel, file, lengthBytes, key, nodes);
        }
      }
      Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(made);
    }
  }

  private static void checkRoom(
      Path file, long lengthBytes, long groupReserveBytes, Headroom headroom, String key)
      throws IOException {
    FileStore store = Files.getFileStore(file);
    long free = store.getUsableSpace();
    // A hugetlbfs without a limit says 0 of both.
    if (free < lengthBytes && store.getTotalSpace() > 0) {
      throw new NoSpaceException(
          String.format(
              Locale.ROOT,
              "%s has %s free and the memory tier needs %s: enlarge it or reduce %s",
              file.toAbsolutePath().getParent(),
              mebibytes(free),
              mebibytes(lengthBytes),
              key));
    }
    OptionalLong room = groupReserveBytes < 0 ? OptionalLong.empty() : headroom.bytes();
    if (room.isPresent() && room.getAsLong() < lengthBytes + groupReserveBytes) {
      throw groupTooSmall(lengthBytes, room.getAsLong(), key);
    }
  }

  static NoSpaceException groupTooSmall(long lengthBytes, long room, String key) {
    return new NoSpaceException(
        String.format(
            Locale.ROOT,
            "the control group leaves %s and the memory tier needs %s: raise its limit or"
                + " reduce %s",
            mebibytes(room),
            mebibytes(lengthBytes),
            key));
  }

  /** Where a file can be mapped, but not written. */
  private static void allocate(Path made, long lengthBytes, String key) throws IOException {
    try (FileBlocks blocks = FileBlocks.open(made, FileBlocks.key(made))) {
      if (blocks == null) {
        throw new IOException(made + " cannot be opened for fallocate");
      }
      blocks.allocate(0, lengthBytes);
    } catch (NoSpaceException e) {
      throw new NoSpaceException(
          made.toAbsolutePath().getParent()
              + " has no "
              + mebibytes(lengthBytes)
              + " of huge pages free: raise vm.nr_hugepages or reduce "
              + key);
    }
  }

  private static void fill(
      FileChannel channel, Path file, long lengthBytes, String key, NodeBinding nodes)
      throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
    long at = 0;
    try {
      // The last byte first: a tmpfs with huge=within_size goes by the length that the file has.
      channel.write(zeros.limit(1), lengthBytes - 1);
      nodes.bind(channel, lengthBytes);
      while (at < lengthBytes) {
        zeros.clear().limit((int) Math.min(ZEROS, lengthBytes - at));
        at += channel.write(zeros, at);
      }
    } catch (IOException e) {
      throw new NoSpaceException(
          String.format(
              Locale.ROOT,
              "%s: writing %s failed at %s (%s): free some space or reduce %s",
              file,
              mebibytes(lengthBytes),
              mebibytes(at),
              e.getMessage(),
              key));
    }
  }

  static String mebibytes(long bytes) {
    return (bytes >> 20) + " MiB";
  }
}
