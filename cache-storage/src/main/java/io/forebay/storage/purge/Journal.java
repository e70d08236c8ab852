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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The files of the purge journal: two copies, each a {@link JournalHeader header} followed by
 * {@link JournalRecord records}, appended and fsynced. One thread at a time.
 *
 * <p>Order of an append that is acknowledged: the first copy is written and forced, then the second
 * copy is written with the same bytes and forced. What need not be on disk yet is written to the
 * first copy alone, and so is what can be had again from elsewhere ({@link Forced#FIRST}); both
 * follow into the second copy with the next append that is forced, or when {@link #mirror} is
 * called. So the second copy never holds a byte that is not safe in the first one, and {@link
 * JournalReader} can tell a torn append from damage.
 *
 * <p>After a write or fsync that failed nobody knows what is in the files, so the next thing
 * written is a new journal, whole, of the next generation. Both new files are forced before the
 * first one is renamed, and the directory is forced after each rename: at any time one of the two
 * names stands for a whole copy of the newest generation or both for the one before. Nothing is
 * appended before both names stand for the same generation.
 */
final class Journal implements AutoCloseable {
  private static final int COPIES = 2;

  /** Above this a journal is not read into memory but distrusted. */
  private static final long MAX_FILE = 1L << 30;

  /** The maximum by which the second copy lags behind without a forced append. */
  private static final int MAX_WAITING = 1 << 18;

  /** What of an append is on disk when it returns. */
  enum Forced {
    /** Nothing needs to be. */
    LATER,

    /**
     * The first copy. If a stop and damage take it away, its caller finds that out, and mends it.
     */
    FIRST,

    BOTH
  }

  /** How what was written is brought to the disk. */
  @FunctionalInterface
  interface Sync {
    Sync DISK = FileChannel::force;

    void force(FileChannel channel, boolean metaData) throws IOException;
  }

  private final Path[] files;
  private final byte[] identity;
  private final byte[] secret;
  private final JournalReader.Contents found;
  private final Sync sync;

  /** Both copies; null when nothing can be appended. */
  private FileChannel @Nullable [] channels;

  private int version = JournalHeader.FIRST_VERSION;
  private long generation;
  private long length;

  /** Up to where the first copy has been forced. */
  private long forced;

  /** Up to where both copies have been forced. */
  private long committed;

  /** What the first copy has and the second one has not. */
  private final List<ByteBuffer> waiting = new ArrayList<>();

  private int waitingBytes;

  private Journal(
      Path[] files, byte[] identity, byte[] secret, JournalReader.Contents found, Sync sync) {
    this.files = files;
    this.identity = identity;
    this.secret = secret;
    this.found = found;
    this.sync = sync;
  }

  /** Where the second copy of a journal lies. */
  static Path copyOf(Path file) {
    return file.resolveSibling(file.getFileName() + ".copy");
  }

  static Journal open(Path file, SecureRandom random, Sync sync) throws IOException {
    Path[] files = {file, copyOf(file)};
    JournalReader.Contents found = JournalReader.read(file, load(files[0]), load(files[1]));
    JournalHeader header = found.header();
    if (header == null) {
      // Whose journal this was cannot be told, or what it said: a new identity makes every store
      // open empty.
      byte[] identity = new byte[16];
      byte[] secret = new byte[16];
      random.nextBytes(identity);
      random.nextBytes(secret);
      return new Journal(files, identity, secret, found, sync);
    }
    Journal journal = new Journal(files, header.identity(), header.secret(), found, sync);
    journal.generation = header.generation();
    journal.version = Math.max(JournalHeader.FIRST_VERSION, header.version());
    if (found.state() == JournalReader.State.WHOLE) {
      journal.attach();
    }
    return journal;
  }

  private static @Nullable ByteBuffer load(Path file) throws IOException {
    if (!PrivateFiles.check(file)) {
      return null;
    }
    try (FileChannel channel = PrivateFiles.open(file)) {
      long size = channel.size();
      if (size > MAX_FILE) {
        throw new ForeignFileException(
            file + " is " + size + " bytes long and therefore not a purge journal: move it away");
      }
      return read(channel, (int) size);
    }
  }

  /** All of a file; null if it is empty. */
  static @Nullable ByteBuffer read(FileChannel channel, int size) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {
      Thread.onSpinWait();
    }
    bytes.flip();
    return bytes.hasRemaining() ? bytes : null;
  }

  private void attach() throws IOException {
    FileChannel first = PrivateFiles.open(files[0]);
    boolean done = false;
    try {
      channels = new FileChannel[] {first, PrivateFiles.open(files[1])};
      length = found.length();
      forced = length;
      committed = length;
      done = true;
    } finally {
      if (!done) {
        first.close();
      }
    }
  }

  /** What was found at opening. */
  JournalReader.Contents found() {
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

  /** Whether appending makes sense: both files are there and every write so far succeeded. */
  boolean isSound() {
    return channels != null;
  }

  /** Appends; returns when as much of it is on disk as is wanted. */
  void append(List<JournalRecord> records, Forced wanted) throws IOException {
    write(out -> {
      ByteBuffer bytes = encoded(records);
      waiting.add(bytes);
      waitingBytes += bytes.remaining();
      length = write(out[0], bytes.duplicate(), length);
      if (wanted == Forced.BOTH || waitingBytes > MAX_WAITING) {
        commit(out);
      } else if (wanted == Forced.FIRST) {
        forceFirst(out);
      }
    });
  }

  /** Brings the second copy up to the first one; returns when all of both is on disk. */
  void mirror() throws IOException {
    write(out -> {
      if (!waiting.isEmpty()) {
        commit(out);
      }
    });
  }

  private interface Write {
    void to(FileChannel[] out) throws IOException;
  }

  /** After an exception nothing is sound. */
  private void write(Write write) throws IOException {
    FileChannel[] out = channels;
    if (out == null) {
      throw new IOException(files[0] + " has no intact journal to append to");
    }
    boolean done = false;
    try {
      write.to(out);
      done = true;
    } finally {
      if (!done) {
        giveUp();
      }
    }
  }

  private ByteBuffer encoded(List<JournalRecord> records) {
    List<ByteBuffer> parts = new ArrayList<>(records.size());
    int bytes = 0;
    for (JournalRecord record : records) {
      ByteBuffer part = record.encode(generation, length + bytes, committed);
      bytes += part.remaining();
      parts.add(part);
    }
    ByteBuffer all = ByteBuffer.allocate(bytes);
    parts.forEach(all::put);
    return all.flip();
  }

  private void forceFirst(FileChannel[] out) throws IOException {
    if (forced < length) {
      sync.force(out[0], false);
      forced = length;
    }
  }

  private void commit(FileChannel[] out) throws IOException {
    forceFirst(out);
    long at = committed;
    for (ByteBuffer bytes : waiting) {
      at = write(out[1], bytes, at);
    }
    sync.force(out[1], false);
    committed = at;
    forgetWaiting();
  }

  private void forgetWaiting() {
    waiting.clear();
    waitingBytes = 0;
  }

  private void giveUp() {
    FileChannel[] old = channels;
    channels = null;
    forgetWaiting();
    if (old != null) {
      closeQuietly(old);
    }
  }

  /** Whether records of positions may be appended; otherwise it is written anew before. */
  boolean takesPositions() {
    return version >= JournalHeader.POSITION_VERSION;
  }

  /** Writes a new journal with these records and puts it in the old one's place. */
  void rewrite(List<JournalRecord> records) throws IOException {
    rewrite(records, false);
  }

  /**
   * The same.
   *
   * @param withPositions whether it takes positions from here on, as it does if it did before
   */
  void rewrite(List<JournalRecord> records, boolean withPositions) throws IOException {
    giveUp();
    if (withPositions) {
      version = Math.max(version, JournalHeader.POSITION_VERSION);
    }
    generation++;
    @Nullable FileChannel[] opened = new FileChannel[COPIES];
    Path[] fresh = new Path[COPIES];
    boolean done = false;
    try {
      for (int n = 0; n < COPIES; n++) {
        fresh[n] = files[n].resolveSibling(files[n].getFileName() + ".new");
        opened[n] = PrivateFiles.createNew(fresh[n]);
      }
      FileChannel[] out = {Objects.requireNonNull(opened[0]), Objects.requireNonNull(opened[1])};
      long end = writeAll(out, records);
      for (int n = 0; n < COPIES; n++) {
        Files.move(fresh[n], files[n], StandardCopyOption.ATOMIC_MOVE);
        forceDirectory();
      }
      length = end;
      forced = end;
      committed = end;
      channels = out;
      done = true;
    } finally {
      if (!done) {
        closeQuietly(opened);
        for (Path path : fresh) {
          if (path != null) {
            Files.deleteIfExists(path);
          }
        }
      }
    }
  }

  private long writeAll(FileChannel[] out, List<JournalRecord> records) throws IOException {
    for (int n = 0; n < COPIES; n++) {
      long ignored =
          write(out[n], new JournalHeader(version, identity, secret, generation, n).encode(), 0);
    }
    ByteBuffer staged = ByteBuffer.allocate(2 * JournalRecord.MAX_LENGTH);
    long at = JournalHeader.LENGTH;
    for (JournalRecord record : records) {
      ByteBuffer bytes = record.encode(generation, at + staged.position(), 0);
      if (bytes.remaining() > staged.remaining()) {
        at = writeStaged(out, staged, at);
        bytes = record.encode(generation, at, 0);
      }
      staged.put(bytes);
    }
    at = writeStaged(out, staged, at);
    for (FileChannel copy : out) {
      sync.force(copy, true);
    }
    return at;
  }

  private static long writeStaged(FileChannel[] out, ByteBuffer staged, long at)
      throws IOException {
    staged.flip();
    long end = at;
    for (FileChannel copy : out) {
      end = write(copy, staged.duplicate(), at);
    }
    staged.clear();
    return end;
  }

  private void forceDirectory() throws IOException {
    try (FileChannel directory =
        FileChannel.open(files[0].toAbsolutePath().getParent(), StandardOpenOption.READ)) {
      sync.force(directory, true);
    }
  }

  @Override
  public void close() throws IOException {
    FileChannel[] out = channels;
    if (out != null) {
      try {
        commit(out);
      } finally {
        giveUp();
      }
    }
  }

  private static long write(FileChannel out, ByteBuffer bytes, long position) throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      at += out.write(bytes, at);
    }
    return at;
  }

  private static void closeQuietly(@Nullable FileChannel[] channels) {
    for (FileChannel channel : channels) {
      if (channel != null) {
        closeQuietly(channel);
      }
    }
  }

  private static void closeQuietly(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // The file is given up; what closing it says changes nothing.
      return;
    }
  }
}
