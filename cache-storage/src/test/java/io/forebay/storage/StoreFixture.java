package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Opens small stores that the test steps, and knows what bodies shall be. */
final class StoreFixture implements AutoCloseable {
  static final long MEBI = 1 << 20;

  final AtomicLong clock = new AtomicLong(1_000_000);
  final StoreSettings settings;
  ObjectStore store;

  StoreFixture(Path directory, long memoryBytes, int regionBytes, int lanes) throws StoreException {
    this(
        StoreSettings.of(directory.resolve("data"), memoryBytes, lanes, () -> 0)
            .withMemoryDirectory(directory.resolve("memory"))
            .withSizes(regionBytes, 0, 1024)
            .withLockMemory(false));
  }

  StoreFixture(StoreSettings settings) throws StoreException {
    this.settings =
        new StoreSettings(
            settings.dataDirectory(),
            settings.memoryBytes(),
            settings.memoryDirectory(),
            settings.lanes(),
            clock::get,
            settings.regionBytes(),
            settings.indexEntries(),
            settings.nearEntries(),
            settings.eviction(),
            settings.purgeScopes(),
            settings.purgeRetireMillis(),
            settings.fillDeadlineMillis(),
            settings.journalCompactBytes(),
            settings.lockMemory(),
            settings.threads(),
            true);
    this.store = ObjectStore.open(this.settings);
  }

  void reopen() throws StoreException {
    store.close();
    store = ObjectStore.open(settings);
  }

  /** Where the tier and the index lie. */
  Path memory() {
    return Objects.requireNonNull(settings.memoryDirectory());
  }

  void steps(int count) {
    for (int n = 0; n < count && store.step(); n++) {
      Thread.onSpinWait();
    }
  }

  void stepAll() {
    steps(100_000);
  }

  static byte[] key(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  static long scope(String text) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : key(text)) {
      hash = (hash ^ b) * 0x100000001b3L;
    }
    return hash;
  }

  static byte[] body(long seed, int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  static HeadSpec spec(String name, long birth, long totalLength, String... scopes) {
    byte[] key = key(name);
    long[] hashes = new long[scopes.length + 1];
    hashes[0] = scope(name);
    for (int n = 0; n < scopes.length; n++) {
      hashes[n + 1] = scope(scopes[n]);
    }
    return new HeadSpec(
        scope("hi" + name),
        scope("lo" + name),
        key,
        key.length,
        key("head of " + name + " born " + birth),
        hashes,
        birth,
        birth + 1000,
        HeadSpec.Kind.OBJECT,
        totalLength);
  }

  Install put(StoreLane lane, String name, byte[] body, boolean isLengthKnown, String... scopes) {
    long birth = store.nextBirth();
    ObjectWriter writer = lane.begin(spec(name, birth, isLengthKnown ? body.length : -1, scopes));
    if (writer == null) {
      return Install.NO_SPACE;
    }
    ByteBuffer source = ByteBuffer.wrap(body);
    while (source.hasRemaining()) {
      ByteBuffer chunk = source.slice(source.position(), Math.min(source.remaining(), 10_000));
      if (!writer.append(chunk)) {
        writer.abort();
        return Install.NO_SPACE;
      }
      source.position(source.position() + chunk.position());
    }
    return writer.finish();
  }

  static StoreLane.Found find(StoreLane lane, String name) {
    byte[] key = key(name);
    return lane.find(scope("hi" + name), scope("lo" + name), key, key.length);
  }

  /** The body under a name, or null on a miss (of the head or of a slice). */
  byte @Nullable [] read(StoreLane lane, String name) {
    if (find(lane, name) != StoreLane.Found.HIT) {
      return null;
    }
    StoredHead head = lane.head();
    int headRegion = head.region();
    byte[] stored = bytes(headRegion, head.headOffset(), head.headLength());
    assertEquals(
        "head of " + name + " born " + head.birth(), new String(stored, StandardCharsets.UTF_8));
    byte[] body = new byte[(int) head.totalLength()];
    try {
      if (head.bodyOffset() >= 0) {
        store.regionBuffer(headRegion).get(head.bodyOffset(), body);
        return body;
      }
      long id = head.objectId();
      int at = 0;
      for (int slice = 0; at < body.length; slice++) {
        if (lane.findSlice(id, slice) != StoreLane.Found.HIT) {
          return null;
        }
        SlicePos pos = lane.slice();
        store.regionBuffer(pos.region()).get(pos.offset(), body, at, pos.length());
        at += pos.length();
        lane.unpin(pos.region());
      }
      return body;
    } finally {
      lane.unpin(headRegion);
    }
  }

  byte[] bytes(int region, int offset, int length) {
    byte[] bytes = new byte[length];
    store.regionBuffer(region).get(offset, bytes);
    return bytes;
  }

  @Override
  public void close() {
    assertEquals(0, store.stats().pins(), "pins left behind");
    if (store.recovery().isComplete()) {
      assertEquals(List.of(), store.audit());
    }
    store.close();
  }
}
