package io.forebay.storage.checkpoint;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.index.IndexValue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the checkpoint of one disk: copies as they come, then all else. It does not count before
 * the header of the disk says that the disk was left in this state, and that is written after the
 * checkpoint has reached the disk; so a stop in its middle leaves none. What fails here costs the
 * checkpoint and nothing else. One thread's.
 */
public final class CheckpointWriter {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointWriter.class);

  private final Path file;
  private final FileChannel channel;
  private final BooleanSupplier isOver;
  private final ByteBuffer block =
      ByteBuffer.allocateDirect(CheckpointHeader.BLOCK).order(ByteOrder.LITTLE_ENDIAN);
  private long at = CheckpointHeader.LENGTH;
  private long copies;
  private int blocks;
  private boolean hasFailed;

  private CheckpointWriter(Path file, FileChannel channel, BooleanSupplier isOver) {
    this.file = file;
    this.channel = channel;
    this.isOver = isOver;
    block.position(CheckpointHeader.BLOCK_HEADER);
  }

  /**
   * Makes the file anew.
   *
   * @param isOver asked now and then: whether it takes too long
   */
  public static CheckpointWriter begin(Path file, BooleanSupplier isOver) throws IOException {
    Files.deleteIfExists(file);
    return new CheckpointWriter(file, PrivateFiles.createNew(file), isOver);
  }

  /** Notes a record that is in memory and on the disk. */
  public void add(long high, long low, IndexValue value) {
    if (hasFailed) {
      return;
    }
    block
        .putLong(high)
        .putLong(low)
        .putLong(value.birth())
        .putLong(value.objectId())
        .putInt(value.diskRegion())
        .putInt(value.diskGeneration())
        .putInt(value.diskOffset())
        .putInt(value.length())
        .putInt(value.expiresSeconds())
        .put(value.kind())
        .put((byte) (value.isDiskTouched() ? 1 : 0))
        .putShort((short) 0);
    copies++;
    if (!block.hasRemaining()) {
      try {
        writeBlock();
      } catch (IOException e) {
        fail(e.toString());
      }
    }
  }

  private void writeBlock() throws IOException {
    int end = block.position();
    int length = end - CheckpointHeader.BLOCK_HEADER;
    if (length == 0) {
      return;
    }
    block.putInt(0, length / CheckpointHeader.COPY);
    block.putInt(
        Integer.BYTES, CheckpointHeader.crc(block.slice(CheckpointHeader.BLOCK_HEADER, length)));
    write(block.position(0).limit(end));
    blocks++;
    block.clear().position(CheckpointHeader.BLOCK_HEADER);
  }

  /**
   * Ends it; true if it is on the disk as a whole. Nobody changes the table meanwhile.
   *
   * @param regions their states
   */
  public boolean end(CheckpointStamp stamp, ByteBuffer regions, DiskIndex table) {
    if (!hasFailed) {
      try {
        writeBlock();
        writeRest(stamp, regions, table);
      } catch (IOException e) {
        fail(e.toString());
      }
    }
    if (hasFailed) {
      abandon();
      return false;
    }
    try {
      channel.close();
      return true;
    } catch (IOException e) {
      LOG.warn("{}: {}", file, e.toString());
      return false;
    }
  }

  private void writeRest(CheckpointStamp stamp, ByteBuffer regions, DiskIndex table)
      throws IOException {
    long regionsAt = at;
    int regionsCrc = CheckpointHeader.crc(regions.duplicate());
    write(regions);
    long stripesAt = at;
    ByteBuffer directory =
        ByteBuffer.allocate(table.stripes() * CheckpointHeader.STRIPE_ENTRY)
            .order(ByteOrder.LITTLE_ENDIAN);
    for (int stripe = 0; stripe < table.stripes(); stripe++) {
      if (isOver.getAsBoolean()) {
        fail("it takes longer than store.disk-stop-limit");
        return;
      }
      ByteBuffer bytes = table.contents(stripe);
      directory.putInt(table.noted(stripe)).putInt(CheckpointHeader.crc(bytes.duplicate()));
      write(bytes);
    }
    long directoryAt = at;
    int directoryCrc = CheckpointHeader.crc(directory.flip().duplicate());
    write(directory);
    CheckpointHeader header =
        new CheckpointHeader(
            stamp,
            table.stripeBits(),
            copies,
            blocks,
            regionsCrc,
            regionsAt,
            stripesAt,
            directoryCrc,
            directoryAt,
            at);
    at = 0;
    write(header.write());
    channel.force(true);
  }

  private void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      at += channel.write(bytes, at);
    }
  }

  private void fail(String why) {
    hasFailed = true;
    LOG.warn(
        "{} is not written: {}. A start without the memory tier reads the directories of the disk",
        file,
        why);
  }

  /** There is to be none. */
  public void abandon() {
    try {
      channel.close();
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("{}: {}", file, e.toString());
    }
  }
}
