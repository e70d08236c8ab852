package io.forebay.storage.purge;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.memory.ForeignFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The purge journal's file: a header, then records, appended and fsynced. One thread at a time.
 *
 * <pre>
 *  0        8       12      16                32              48      52    64
 *  +--------+-------+-------+-----------------+---------------+-------+-----+----------
 *  | magic  |version| length| identity        | secret        | CRC32C|spare| records ...
 *  +--------+-------+-------+-----------------+---------------+-------+-----+----------
 * </pre>
 *
 * After a write or fsync that failed nobody knows what is in the file, so the next thing written is
 * a new file, whole, that takes the old one's place.
 */
final class Journal implements AutoCloseable {
  static final long MAGIC = 0x3147_5250_5942_4F46L; // "FOBYPRG1"
  static final int VERSION = 1;
  static final int HEADER = 64;

  private static final int VERSION_OFFSET = Long.BYTES;
  private static final int LENGTH_OFFSET = VERSION_OFFSET + Integer.BYTES;
  private static final int IDENTITY_OFFSET = LENGTH_OFFSET + Integer.BYTES;
  private static final int SECRET_OFFSET = IDENTITY_OFFSET + 16;
  private static final int CRC_OFFSET = SECRET_OFFSET + 16;

  /** Above this a journal is not read into memory but distrusted. */
  private static final long MAX_FILE = 1L << 30;

  /** How what was written is brought to the disk. */
  @FunctionalInterface
  interface Sync {
    Sync DISK = FileChannel::force;

    void force(FileChannel channel, boolean metaData) throws IOException;
  }

  /** What was found at opening. */
  record Found(List<JournalRecord> records, boolean isNew, boolean isDamaged) {}

  private final Path file;
  private final byte[] identity;
  private final byte[] secret;
  private final Found found;
  private final Sync sync;
  private @Nullable FileChannel channel;
  private long length;

  private Journal(
      Path file,
      byte[] identity,
      byte[] secret,
      Found found,
      Sync sync,
      @Nullable FileChannel channel,
      long length) {
    this.file = file;
    this.identity = identity;
    this.secret = secret;
    this.found = found;
    this.sync = sync;
    this.channel = channel;
    this.length = length;
  }

  static Journal open(Path file, SecureRandom random, Sync sync) throws IOException {
    if (PrivateFiles.check(file) && Files.size(file) > 0) {
      FileChannel channel = PrivateFiles.open(file);
      boolean done = false;
      try {
        Journal journal = attach(file, channel, sync);
        if (journal != null) {
          done = true;
          return journal;
        }
      } finally {
        if (!done) {
          channel.close();
        }
      }
    }
    byte[] identity = new byte[16];
    byte[] secret = new byte[16];
    random.nextBytes(identity);
    random.nextBytes(secret);
    return new Journal(file, identity, secret, new Found(List.of(), true, false), sync, null, 0);
  }

  private static @Nullable Journal attach(Path file, FileChannel channel, Sync sync)
      throws IOException {
    long size = channel.size();
    if (size > MAX_FILE) {
      throw new ForeignFileException(
          file + " is " + size + " bytes long, which no purge journal is: move it away");
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {
      Thread.onSpinWait();
    }
    bytes.flip();
    if (size < Long.BYTES || bytes.getLong(0) != MAGIC) {
      throw new ForeignFileException(
          file + " is not a Forebay purge journal: move it away or name another data directory");
    }
    if (size >= HEADER && bytes.getInt(VERSION_OFFSET) != VERSION) {
      throw new ForeignFileException(
          file
              + " has format "
              + bytes.getInt(VERSION_OFFSET)
              + ", this Forebay knows "
              + VERSION
              + ": use the version that wrote it, or move the data directory away");
    }
    if (size < HEADER || bytes.getInt(CRC_OFFSET) != headerChecksum(bytes)) {
      // Whose journal this was cannot be told: a new identity makes every store open empty.
      return null;
    }
    List<JournalRecord> records = new ArrayList<>();
    int at = HEADER;
    int step;
    while ((step = JournalRecord.paddedLength(bytes, at)) > 0 && step <= bytes.limit() - at) {
      records.add(JournalRecord.decode(bytes, at));
      at += step;
    }
    // A torn tail was never acknowledged. A whole record behind a broken one means that something
    // acknowledged may be lost.
    boolean isDamaged = false;
    for (int later = at + Long.BYTES; later < bytes.limit() && !isDamaged; later += Long.BYTES) {
      isDamaged = JournalRecord.paddedLength(bytes, later) > 0;
    }
    byte[] identity = new byte[16];
    byte[] secret = new byte[16];
    bytes.get(IDENTITY_OFFSET, identity);
    bytes.get(SECRET_OFFSET, secret);
    if (at < size) {
      channel.truncate(at);
    }
    return new Journal(
        file, identity, secret, new Found(records, false, isDamaged), sync, channel, at);
  }

  Found found() {
    return found;
  }

  byte[] identity() {
    return identity.clone();
  }

  byte[] secret() {
    return secret.clone();
  }

  long length() {
    return length;
  }

  /** Whether appending makes sense: the file is there and every write so far succeeded. */
  boolean isSound() {
    return channel != null;
  }

  /**
   * Appends; if asked to, returns only when all of it is on disk, by one fsync. After an exception
   * nothing is sound.
   */
  void append(List<JournalRecord> records, boolean isSynced) throws IOException {
    FileChannel out = channel;
    if (out == null) {
      throw new IOException(file + " has no sound journal to append to");
    }
    boolean done = false;
    try {
      long at = length;
      for (JournalRecord record : records) {
        at = write(out, record.encode(), at);
      }
      if (isSynced) {
        sync.force(out, false);
      }
      length = at;
      done = true;
    } finally {
      if (!done) {
        channel = null;
        closeQuietly(out);
      }
    }
  }

  /** Writes a new journal with these records and puts it in the old one's place. */
  void rewrite(List<JournalRecord> records) throws IOException {
    FileChannel old = channel;
    channel = null;
    if (old != null) {
      closeQuietly(old);
    }
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    FileChannel out = PrivateFiles.createNew(fresh);
    boolean done = false;
    try {
      long at = write(out, header(), 0);
      for (JournalRecord record : records) {
        at = write(out, record.encode(), at);
      }
      sync.force(out, true);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      try (FileChannel directory =
          FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
        sync.force(directory, true);
      }
      length = at;
      channel = out;
      done = true;
    } finally {
      if (!done) {
        closeQuietly(out);
        Files.deleteIfExists(fresh);
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (channel != null) {
      sync.force(channel, true);
      channel.close();
      channel = null;
    }
  }

  private static long write(FileChannel out, ByteBuffer bytes, long position) throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      at += out.write(bytes, at);
    }
    return at;
  }

  private ByteBuffer header() {
    ByteBuffer out = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(0, MAGIC);
    out.putInt(VERSION_OFFSET, VERSION);
    out.putInt(LENGTH_OFFSET, HEADER);
    out.put(IDENTITY_OFFSET, identity);
    out.put(SECRET_OFFSET, secret);
    out.putInt(CRC_OFFSET, headerChecksum(out));
    return out;
  }

  private static int headerChecksum(ByteBuffer header) {
    CRC32C crc = new CRC32C();
    crc.update(header.duplicate().position(0).limit(CRC_OFFSET));
    return (int) crc.getValue();
  }

  private static void closeQuietly(FileChannel out) {
    try {
      out.close();
    } catch (IOException e) {
      // The file is given up; what closing it says changes nothing.
      return;
    }
  }
}
