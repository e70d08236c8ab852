package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgePosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Orders that the node took while it could not write the log, until they are in it. They are in a
 * file of the data directory: a first line, then an entry of the log in each line. Without orders
 * there is no file.
 *
 * <pre>
 *   order ─▶ file, forced ─▶ in force on this node ─▶ receipt "queued"
 *               └─▶ once the log is back: PurgeLog.publish ─▶ out of the file
 * </pre>
 *
 * <p>The node publishes an order before it takes it out of the file. If it stops in between it
 * publishes the order twice, which purges more, never less. The caller owns the lock of the
 * directory. Any thread that may block.
 */
public final class PurgeOutbox {
  /** The most orders that can wait. */
  public static final int MAX_ORDERS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(PurgeOutbox.class);
  static final String NAME = "purge-outbox";
  private static final String FIRST_LINE = "forebay purge outbox 1";
  private static final int MAX_BYTES = 1 << 20;
  private static final int BATCH = 100;

  private final Path directory;
  private final String node;
  private final Clock clock;

  /** Entries by their keys in the log, the oldest first. Guarded by this. */
  private Map<String, PurgeEntry> entries = new LinkedHashMap<>();

  private volatile boolean isWaiting;

  /** Where the log has what waited last; null where nothing did. */
  private volatile @Nullable PurgePosition written;

  private PurgeOutbox(Path directory, String node, Clock clock) {
    this.directory = directory;
    this.node = node;
    this.clock = clock;
  }

  /**
   * The outbox of a data directory. If the file is damaged, its orders are unknown, so the outbox
   * has an order to purge everything.
   *
   * @param node the name of this one
   * @throws IOException when it cannot be read
   */
  public static PurgeOutbox open(Path directory, String node, Clock clock) throws IOException {
    PurgeOutbox outbox = new PurgeOutbox(directory, node, clock);
    Path file = directory.resolve(NAME);
    if (!PrivateFiles.exists(file)) {
      return outbox;
    }
    List<PurgeEntry> read = parse(read(file));
    if (read == null) {
      LOG.error("{} is damaged: everything is purged on all nodes in place of what it had", file);
      read =
          List.of(
              new PurgeEntry(
                  new PurgeOrder(PurgeKind.EVERYTHING, "in place of a damaged outbox", false),
                  node,
                  clock.instant()));
    }
    read.forEach(entry -> outbox.entries.put(PurgeEntry.key(entry.order()), entry));
    outbox.isWaiting = !read.isEmpty();
    return outbox;
  }

  private static byte[] read(Path file) throws IOException {
    try (FileChannel in = PrivateFiles.openToRead(file)) {
      ByteBuffer buffer = ByteBuffer.allocate(MAX_BYTES + 1);
      while (buffer.hasRemaining() && in.read(buffer) >= 0) {
        Thread.onSpinWait();
      }
      byte[] bytes = new byte[buffer.flip().remaining()];
      buffer.get(bytes);
      return bytes;
    }
  }

  private static @Nullable List<PurgeEntry> parse(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (bytes.length > MAX_BYTES || !text.startsWith(FIRST_LINE + "\n") || !text.endsWith("\n")) {
      return null;
    }
    List<PurgeEntry> read = new ArrayList<>();
    for (String line : text.lines().skip(1).toList()) {
      PurgeEntry entry = PurgeEntry.read(line);
      if (entry == null) {
        return null;
      }
      read.add(entry);
    }
    return read;
  }

  /**
   * Whether the log has by that position all that has ever waited here: until then this node has
   * purges in force that others cannot know. Never blocks.
   */
  public boolean isInLog(PurgePosition position) {
    if (isWaiting) {
      return false;
    }
    PurgePosition last = written;
    return last == null || !last.isSameLog(position) || position.reaches(last);
  }

  /** Orders that wait for the log. */
  public synchronized int size() {
    return entries.size();
  }

  /**
   * Takes orders; when this returns true, they survive a loss of power.
   *
   * @return false where there is no place for all of them; then nothing has changed
   */
  public synchronized boolean add(List<PurgeOrder> orders) throws IOException {
    Map<String, PurgeEntry> next = new LinkedHashMap<>(entries);
    for (PurgeOrder order : orders) {
      String key = PurgeEntry.key(order);
      next.remove(key);
      next.put(key, new PurgeEntry(order, node, clock.instant()));
    }
    byte[] bytes = bytes(next);
    if (next.size() > MAX_ORDERS || bytes.length > MAX_BYTES) {
      return false;
    }
    write(bytes);
    entries = next;
    isWaiting = true;
    return true;
  }

  /**
   * Writes the orders that wait to the log.
   *
   * @param applied the position of this node
   */
  public void publish(PurgeLog log, PurgePosition applied)
      throws EtcdException, InterruptedException {
    Map<String, PurgeEntry> some = first();
    while (!some.isEmpty()) {
      long revision =
          log.publish(some.values().stream().map(PurgeEntry::order).toList(), applied).revision();
      try {
        remove(some, applied.at(revision));
      } catch (IOException e) {
        LOG.warn("purges in the log stay in the outbox for now: {}", e.toString());
        return;
      }
      LOG.info("{} purges that waited are in the log", some.size());
      some = first();
    }
  }

  private synchronized Map<String, PurgeEntry> first() {
    Map<String, PurgeEntry> some = new LinkedHashMap<>();
    for (Map.Entry<String, PurgeEntry> one : entries.entrySet()) {
      if (some.size() < BATCH) {
        some.put(one.getKey(), one.getValue());
      }
    }
    return some;
  }

  /** Removes published orders, except those that were repeated meanwhile. */
  private synchronized void remove(Map<String, PurgeEntry> published, PurgePosition at)
      throws IOException {
    Map<String, PurgeEntry> next = new LinkedHashMap<>(entries);
    published.forEach(next::remove);
    if (next.isEmpty()) {
      Files.deleteIfExists(directory.resolve(NAME));
      PrivateFiles.forceNames(directory);
    } else {
      write(bytes(next));
    }
    entries = next;
    written = at;
    isWaiting = !next.isEmpty();
  }

  private static byte[] bytes(Map<String, PurgeEntry> all) {
    StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
    all.values().forEach(entry -> text.append(entry.json()).append('\n'));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private void write(byte[] all) throws IOException {
    Path made = directory.resolve(NAME + ".new");
    try (FileChannel out = PrivateFiles.createNew(made)) {
      ByteBuffer bytes = ByteBuffer.wrap(all);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(made, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    PrivateFiles.forceNames(directory);
  }
}
