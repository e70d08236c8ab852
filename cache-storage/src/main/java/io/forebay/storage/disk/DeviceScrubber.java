package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryPage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Reads what lies on one device before anybody asks for it, and takes out of the index what is not
 * what was written: round after round, region by region, at no more than a number of bytes a
 * second. The writer's, when it has nothing else to do; its figures any thread's.
 *
 * <p>A round begins at a region drawn at random, so that on a large device that is restarted often
 * all of it has its turn. What is written during a round is seen in the next one.
 */
final class DeviceScrubber {
  /** Rounds over a small device begin this far apart. */
  private static final long ROUND_MILLIS = 3_600_000;

  private static final int TORN_PAGES = 4;

  private final DeviceSettings settings;
  private final DeviceHeaderPages head;
  private final DeviceLog log;
  private final DeviceDirectory directory;
  private final DeviceRecords records;
  private final BlockFile file;
  private final DeviceReadQueue loads;
  private final DeviceHealth health;
  private final ObjectIndex.Cursor cursor;
  private final LongSupplier clockMillis;
  private final IndexValue value = new IndexValue();
  private final ByteBuffer buffer;
  private final MemorySegment memory;

  /** What the last page read names that is live, and has not been read yet. */
  private final ArrayDeque<Known> pending = new ArrayDeque<>();

  private boolean isOneByOne;
  private int start;
  private int page;
  private int torn;

  /** Pages since the last whole one that are not, of whatever life. */
  private int holes;

  private final RateLimit rate;
  private long roundMillis = Long.MIN_VALUE / 2;
  private volatile int regionsDone;
  private final AtomicLong rounds = new AtomicLong();
  private volatile long lastRoundMillis;
  private final AtomicLong checked = new AtomicLong();
  private final AtomicLong checkedBytes = new AtomicLong();
  private final AtomicLong bad = new AtomicLong();

  private record Known(long high, long low, DiskLocation place, long birth, long objectId) {}

  DeviceScrubber(
      DeviceSettings settings,
      DeviceHeaderPages head,
      DeviceLog log,
      DeviceDirectory directory,
      DeviceRecords records,
      BlockFile file,
      DeviceReadQueue loads,
      DeviceHealth health,
      ObjectIndex.Cursor cursor,
      LongSupplier clockMillis,
      int start) {
    this.settings = settings;
    this.head = head;
    this.log = log;
    this.directory = directory;
    this.records = records;
    this.file = file;
    this.loads = loads;
    this.health = health;
    this.cursor = cursor;
    this.clockMillis = clockMillis;
    this.start = start;
    this.buffer =
        settings.scrubBytesPerSecond() > 0 ? DeviceRecords.buffer() : ByteBuffer.allocate(0);
    this.memory = MemorySegment.ofBuffer(buffer);
    this.rate = new RateLimit(settings.scrubBytesPerSecond(), clockMillis);
    this.regionsDone = settings.regionCount();
  }

  ScrubStats stats() {
    return new ScrubStats(
        (double) regionsDone / settings.regionCount(),
        rounds.get(),
        lastRoundMillis,
        checked.get(),
        checkedBytes.get(),
        bad.get());
  }

  /** Reads a little; false if it is not its turn. */
  boolean next() {
    rate.refill();
    // Whoever waits for the device comes first.
    if (settings.scrubBytesPerSecond() == 0 || loads.count() > 0 || !rate.isAffordable()) {
      return false;
    }
    if (pending.isEmpty()) {
      isOneByOne = false;
      return nextPage();
    }
    DiskLocation first = pending.getFirst().place();
    if (!records.isReadable(first.region, first.generation)) {
      // Won back meanwhile.
      pending.clear();
      nextRegion();
    } else {
      readWindow();
    }
    return true;
  }

  private boolean nextPage() {
    if (regionsDone == settings.regionCount()) {
      long now = clockMillis.getAsLong();
      if (now - roundMillis < ROUND_MILLIS) {
        return false;
      }
      roundMillis = now;
      regionsDone = 0;
      page = 0;
      torn = 0;
      holes = 0;
    }
    int region = (start + regionsDone) % settings.regionCount();
    int generation = log.generation(region);
    if (!records.isReadable(region, generation)) {
      nextRegion();
      return true;
    }
    try {
      rate.spend(DirectoryPage.LENGTH);
      ByteBuffer read = directory.page(region, page);
      if (read == null || read.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
        torn += directory.isDamaged(generation, page) ? 0 : 1;
        holes++;
      } else {
        // A page that is not whole before one that is: what it named is found by nobody else.
        bad.addAndGet(holes);
        torn = 0;
        holes = 0;
        directory.forEach(read, one -> note(one, region, generation));
      }
    } catch (IOException e) {
      health.onError("scrubbing", e);
      torn++;
    }
    page++;
    boolean isEnd = torn >= TORN_PAGES && page >= log.pages(region, generation);
    if (isEnd || page == settings.regionBytes() / DirectoryPage.LENGTH) {
      nextRegion();
    }
    return true;
  }

  private void nextRegion() {
    page = 0;
    torn = 0;
    holes = 0;
    int done = regionsDone + 1;
    if (done == settings.regionCount()) {
      lastRoundMillis = clockMillis.getAsLong();
      rounds.incrementAndGet();
    }
    regionsDone = done;
  }

  private void note(PageEntry one, int region, int generation) {
    if (one.isTombstone() || one.isDead()) {
      return;
    }
    DiskLocation place =
        new DiskLocation().at(head.number(), region, generation, one.offset(), one.recordLength());
    boolean isPlausible =
        place.offset >= 0
            && place.length > 0
            && place.length <= buffer.capacity()
            && place.offset + (long) place.length <= settings.regionBytes();
    if (isPlausible
        && cursor.get(one.keyHigh(), one.keyLow(), value) == ObjectIndex.Outcome.DONE
        && place.isDiskOf(value)) {
      pending.add(new Known(one.keyHigh(), one.keyLow(), place, one.birth(), one.objectId()));
    }
  }

  /** One read of as many records as lie together; after an error, of one. */
  private void readWindow() {
    Known first = pending.getFirst();
    int from = first.place().offset;
    int to = from;
    int count = 0;
    for (Known one : pending) {
      int end = one.place().offset + one.place().length;
      if (count > 0 && (isOneByOne || one.place().offset < to || end - from > buffer.capacity())) {
        break;
      }
      to = end;
      count++;
    }
    rate.spend(to - from);
    try {
      file.read(
          buffer.clear().limit(to - from),
          DeviceDirectory.base(first.place().region, settings.regionBytes()) + from);
    } catch (IOException e) {
      if (count > 1) {
        // Which of them it is tells a second try.
        isOneByOne = true;
        return;
      }
      health.onError("scrubbing", e);
      pending.removeFirst();
      giveUp(first);
      return;
    }
    for (int n = 0; n < count; n++) {
      check(pending.removeFirst(), from);
    }
  }

  private void check(Known one, int from) {
    int at = one.place().offset - from;
    boolean isIt =
        DeviceRecords.isWhole(memory, at, one.place())
            && DirectoryPages.objectId(memory, at) == one.objectId()
            && DirectoryPages.birth(memory, at) == one.birth();
    if (!isIt && records.isReadable(one.place().region, one.place().generation)) {
      records.onBad(one.place());
      giveUp(one);
    }
    checked.incrementAndGet();
    checkedBytes.addAndGet(one.place().length);
  }

  private void giveUp(Known one) {
    if (health.isInUse() && records.forget(one.high(), one.low(), one.place())) {
      bad.incrementAndGet();
    }
  }
}
