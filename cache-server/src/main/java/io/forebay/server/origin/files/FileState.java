package io.forebay.server.origin.files;

/**
 * What the kernel says of a file at a moment. Two moments with the same state have the same bytes,
 * unless the file was changed within one step of the kernel's clock.
 *
 * @param mode type and permissions
 * @param mtimeNanos nanoseconds of the time of the latest change, besides its seconds
 */
record FileState(int mode, long inode, long size, long mtimeSeconds, int mtimeNanos) {
  private static final int TYPE = 0xf000;
  private static final int DIRECTORY = 0x4000;
  private static final int REGULAR = 0x8000;

  boolean isDirectory() {
    return (mode & TYPE) == DIRECTORY;
  }

  boolean isRegular() {
    return (mode & TYPE) == REGULAR;
  }

  /** Whether its latest change was before that of the other. */
  boolean isOlderThan(FileState other) {
    return mtimeSeconds < other.mtimeSeconds
        || (mtimeSeconds == other.mtimeSeconds && mtimeNanos < other.mtimeNanos);
  }

  boolean hasSameBytes(FileState other) {
    return inode == other.inode
        && size == other.size
        && mtimeSeconds == other.mtimeSeconds
        && mtimeNanos == other.mtimeNanos;
  }

  /** The time of the latest change in milliseconds. */
  long modifiedMillis() {
    return mtimeSeconds * 1000 + mtimeNanos / 1_000_000;
  }

  /**
   * A strong entity tag: the time of the latest change to the nanosecond, the size and the inode,
   * which tells a file from one that was moved to its place with an older time. The inode is mixed
   * with the time, so that its number is not told.
   */
  String entityTag() {
    long mixed = (inode ^ mtimeSeconds << 20 ^ mtimeNanos) * 0x9e3779b97f4a7c15L;
    return '"'
        + Long.toHexString(mtimeSeconds)
        + '.'
        + Integer.toHexString(mtimeNanos)
        + '-'
        + Long.toHexString(size)
        + '-'
        + Integer.toHexString((int) (mixed >>> 32))
        + '"';
  }
}
