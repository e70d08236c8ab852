package io.forebay.storage;

import io.forebay.storage.evict.Reclaim;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.RaceBed;
import io.forebay.storage.lane.RaceBed.Written;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.purge.Overflow;
import io.forebay.storage.region.Regions;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Supplier;

/**
 * The races of the store's threads. Each race runs the store's own code on two of its threads, over
 * records created for it; the results are numbers that the stress tests grade.
 */
final class Races {
  private static final RaceBed BED = new RaceBed();

  private Races() {}

  /** For those who load this class anew, with one of the store's classes weakened. */
  static Supplier<Race> of(String name) {
    return switch (name) {
      case "Pinning" -> Pinning::new;
      case "PinningTwo" -> PinningTwo::new;
      case "NearSlice" -> NearSlice::new;
      case "NearReplaced" -> NearReplaced::new;
      case "Installing" -> Installing::new;
      case "Counting" -> Counting::new;
      case "Moving" -> Moving::new;
      case "Reviving" -> Reviving::new;
      case "Forgetting" -> Forgetting::new;
      case "Watermark" -> Watermark::new;
      case "Overflowing" -> Overflowing::new;
      case "OverflowingByScopes" -> OverflowingByScopes::new;
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** Has two threads begin at the same time, as far as the machine lets them. */
  private abstract static class Meeting implements Race {
    /** For how long one waits for the other, who may have no CPU. */
    static final int PATIENCE = 2_000;

    private static final int LINE = 16;
    private static final int[] LINES = new int[8 * LINE];

    private volatile boolean isFirstHere;
    private volatile boolean isSecondHere;

    void meetSecond(int delay) {
      isFirstHere = true;
      for (int n = 0; n < PATIENCE && !isSecondHere; n++) {
        Thread.onSpinWait();
      }
      pause(delay);
    }

    void meetFirst(int delay) {
      isSecondHere = true;
      for (int n = 0; n < PATIENCE && !isFirstHere; n++) {
        Thread.onSpinWait();
      }
      pause(delay);
    }

    /**
     * Stores to lines that the other one has just had: what is stored next waits behind them, so
     * that what is out of order stays so for longer.
     */
    static void fillStoreBuffer() {
      for (int line = 0; line < LINES.length; line += LINE) {
        LINES[line] = line;
      }
    }

    private static void pause(int delay) {
      for (int n = 0; n < delay; n++) {
        Thread.onSpinWait();
      }
    }
  }

  private static int installed(InstallOutcome install) {
    return switch (install) {
      case INSTALLED -> 1;
      case OLDER -> 2;
      default -> 0;
    };
  }

  /**
   * A reader pins a region while the reclaimer empties it. First: 1 read what was there, 2 read
   * what was written over it, 0 was refused. Second: whether the region was reused.
   */
  private static final class Pinning extends Meeting {
    private static final int AT = 4096;

    private final int region;
    private final int generation;
    private boolean isPinned;

    /** Without the lock: few of these meet at the right moment, so there have to be many. */
    Pinning() {
      region = BED.open();
      generation = BED.regions.generation(region);
      BED.memory.set(Layouts.LONG, BED.regions.base(region) + AT, generation);
      BED.regions.state(region, Regions.SEALED);
    }

    @Override
    public int first() {
      meetSecond(region & 15);
      fillStoreBuffer();
      isPinned = BED.firstLane.lookup.pinIf(region, generation);
      if (!isPinned) {
        return 0;
      }
      return BED.memory.get(Layouts.LONG, BED.regions.base(region) + AT) == generation ? 1 : 2;
    }

    @Override
    public int second() {
      meetFirst(0);
      fillStoreBuffer();
      Reclaim.region(BED.reclaimer, region);
      if (!BED.pins.isUnpinned(region)) {
        return 0;
      }
      BED.regions.renew(region);
      BED.memory.set(Layouts.LONG, BED.regions.base(region) + AT, -1);
      return 1;
    }

    @Override
    public int after() {
      if (isPinned) {
        BED.firstLane.unpin(region);
      }
      BED.giveBack(region);
      return 0;
    }
  }

  /**
   * A reader pins two regions at once while the reclaimer empties one of them: now that which is
   * named first, now the other. The results are those of {@link Pinning}.
   */
  private static final class PinningTwo extends Meeting {
    private static final int LANE = 0;
    private static final int AT = 4096;

    private final int emptied;
    private final int kept;
    private final int generation;
    private final int keptGeneration;
    private boolean isPinned;

    PinningTwo() {
      emptied = open();
      kept = open();
      generation = BED.regions.generation(emptied);
      keptGeneration = BED.regions.generation(kept);
    }

    private static int open() {
      int region = BED.open();
      BED.memory.set(Layouts.LONG, BED.regions.base(region) + AT, BED.regions.generation(region));
      BED.regions.state(region, Regions.SEALED);
      return region;
    }

    @Override
    public int first() {
      boolean isEmptiedFirst = (emptied >> 1 & 1) == 0;
      meetSecond(emptied & 15);
      fillStoreBuffer();
      BED.pins.pin(LANE, isEmptiedFirst ? emptied : kept, isEmptiedFirst ? kept : emptied);
      isPinned =
          BED.regions.isReadable(emptied, generation)
              && BED.regions.isReadable(kept, keptGeneration);
      if (!isPinned) {
        unpin();
        return 0;
      }
      return BED.memory.get(Layouts.LONG, BED.regions.base(emptied) + AT) == generation ? 1 : 2;
    }

    private void unpin() {
      BED.pins.unpin(LANE, emptied);
      BED.pins.unpin(LANE, kept);
    }

    @Override
    public int second() {
      meetFirst(0);
      fillStoreBuffer();
      Reclaim.region(BED.reclaimer, emptied);
      if (!BED.pins.isUnpinned(emptied)) {
        return 0;
      }
      BED.regions.renew(emptied);
      BED.memory.set(Layouts.LONG, BED.regions.base(emptied) + AT, -1);
      return 1;
    }

    @Override
    public int after() {
      if (isPinned) {
        unpin();
      }
      BED.giveBack(emptied);
      BED.giveBack(kept);
      return 0;
    }
  }

  /**
   * A lane has a slice in its near-index whose region is reused for a slice of another object, in
   * the same place. First: 1 found its own, 2 found the other's bytes, 0 found nothing. Second:
   * whether the region was reused.
   */
  private static final class NearSlice extends Meeting {
    private final int delay;
    private final int region;
    private final long own;
    private final long other;
    private final HeadSpec spec;
    private final Written before;

    NearSlice() {
      synchronized (BED) {
        BED.makeRoom();
        delay = BED.delay();
        own = BED.birth();
        other = BED.birth();
        spec = RaceBed.spec(own, own, RaceBed.BODY);
        region = BED.open();
        before = BED.writeSlice(region, spec, own, own);
        InstallOutcome installed = before.install(BED.firstLane);
        BED.regions.state(region, Regions.SEALED);
        if (installed != InstallOutcome.INSTALLED || look() != 1) {
          throw new IllegalStateException("not found before anybody touched it");
        }
      }
    }

    private int look() {
      if (BED.firstLane.findSlice(own, 0) != StoreLane.Found.HIT) {
        return 0;
      }
      SliceLocation at = BED.firstLane.slice();
      long content = BED.memory.get(Layouts.LONG, BED.regions.base(at.region()) + at.offset());
      BED.firstLane.unpin(at.region());
      return content == own ? 1 : 2;
    }

    @Override
    public int first() {
      meetSecond(delay);
      return look();
    }

    @Override
    public int second() {
      meetFirst(0);
      Reclaim.region(BED.reclaimer, region);
      if (!BED.pins.isUnpinned(region)) {
        BED.keep(region);
        return 0;
      }
      BED.regions.renew(region);
      BED.regions.open(region, Regions.PROBATION, 1);
      Written after = BED.writeSlice(region, spec, other, other);
      BED.regions.live(region, after.at().slot(), true);
      BED.regions.state(region, Regions.SEALED);
      return 1;
    }

    @Override
    public int after() {
      synchronized (BED) {
        BED.forget(before);
        BED.giveBack(region);
        return 0;
      }
    }
  }

  /**
   * A lane has an object in its near-index that another lane replaces. First: 1 found the old one,
   * 2 the new one, 0 none; 10 more if the replacement had been acknowledged before it looked.
   */
  private static final class NearReplaced extends Meeting {
    private final int delay;
    private final Written old;
    private final Written young;
    private volatile boolean isAcknowledged;

    NearReplaced() {
      synchronized (BED) {
        BED.makeRoom();
        delay = BED.delay();
        long number = BED.birth();
        old = BED.writeHead(RaceBed.spec(number, BED.birth(), RaceBed.BODY), 1);
        young = BED.writeHead(RaceBed.spec(number, BED.birth(), RaceBed.BODY), 2);
        if (old.install(BED.firstLane) != InstallOutcome.INSTALLED || look() != 1) {
          throw new IllegalStateException("not found before anybody touched it");
        }
      }
    }

    private int look() {
      HeadSpec spec = old.spec();
      if (BED.firstLane.find(spec.hi(), spec.lo(), spec.keyText(), spec.keyTextLength())
          != StoreLane.Found.HIT) {
        return 0;
      }
      StoredHead head = BED.firstLane.head();
      long body = BED.regions.base(head.region()) + head.bodyOffset();
      int content = (int) BED.memory.get(Layouts.LONG, body);
      BED.firstLane.unpin(head.region());
      return content;
    }

    @Override
    public int first() {
      meetSecond(delay);
      int before = isAcknowledged ? 10 : 0;
      return before + look();
    }

    @Override
    public int second() {
      meetFirst(0);
      int installed = installed(young.install(BED.secondLane));
      isAcknowledged = installed == 1;
      return installed;
    }

    @Override
    public int after() {
      return end(old, young);
    }
  }

  private static int end(Written... written) {
    synchronized (BED) {
      int named = BED.named(written);
      BED.forget(written[0]);
      for (Written one : written) {
        BED.regions.release(one.at().region());
      }
      return named;
    }
  }

  /** Two lanes install records of one key. First is the older one. */
  private static final class Installing extends Meeting {
    private final int delay;
    private final Written old;
    private final Written young;

    Installing() {
      synchronized (BED) {
        BED.makeRoom();
        delay = BED.delay() & 15;
        long number = BED.birth();
        old = BED.writeHead(RaceBed.spec(number, BED.birth(), RaceBed.BODY), 1);
        young = BED.writeHead(RaceBed.spec(number, BED.birth(), RaceBed.BODY), 2);
      }
    }

    @Override
    public int first() {
      meetSecond(delay);
      return installed(old.install(BED.firstLane));
    }

    @Override
    public int second() {
      meetFirst(0);
      return installed(young.install(BED.secondLane));
    }

    @Override
    public int after() {
      return end(old, young);
    }
  }

  /**
   * A lane finds nothing under a key, first, while another installs a record under it. First: 1
   * found it, 2 learned by the count that it has come, 3 did not though it had come, 0 met a busy
   * index, or did not see the end of the other's fill.
   */
  private static final class Counting extends Meeting {
    private final int delay;
    private final Written head;
    private volatile boolean isOver;

    Counting() {
      synchronized (BED) {
        BED.makeRoom();
        delay = BED.delay();
        head = BED.writeHead(RaceBed.spec(BED.birth(), BED.birth(), RaceBed.BODY), 1);
      }
    }

    @Override
    public int first() {
      meetSecond(delay);
      HeadSpec spec = head.spec();
      long before = BED.firstLane.installCount(spec.lo());
      StoreLane.Found found =
          BED.firstLane.find(spec.hi(), spec.lo(), spec.keyText(), spec.keyTextLength());
      if (found == StoreLane.Found.HIT) {
        BED.firstLane.unpin(BED.firstLane.head().region());
        return 1;
      }
      for (int n = 0; n < PATIENCE && !isOver; n++) {
        Thread.onSpinWait();
      }
      if (!isOver || found != StoreLane.Found.MISS) {
        return 0;
      }
      return BED.firstLane.installCount(spec.lo()) == before ? 3 : 2;
    }

    @Override
    public int second() {
      meetFirst(0);
      int installed = installed(head.install(BED.secondLane));
      isOver = installed == 1;
      return installed;
    }

    @Override
    public int after() {
      return end(head);
    }
  }

  /** An installed record, much asked for, in a region that is about to be emptied. */
  private static Written leaving(long number) {
    Written written = BED.writeHead(BED.open(), RaceBed.spec(number, BED.birth(), RaceBed.BODY), 1);
    if (written.install(BED.firstLane) != InstallOutcome.INSTALLED) {
      throw new IllegalStateException("not installed with nobody there");
    }
    int region = written.at().region();
    BED.regions.touches(region, written.at().slot(), 3);
    BED.regions.state(region, Regions.SEALED);
    return written;
  }

  /** The reclaimer moves a record, first, while a lane installs a younger one, second. */
  private static final class Moving extends Meeting {
    private final int delay;
    private final Written old;
    private final Written young;

    Moving() {
      synchronized (BED) {
        BED.makeRoom();
        delay = BED.delay() & 63;
        long number = BED.birth();
        old = leaving(number);
        young = BED.writeHead(RaceBed.spec(number, BED.birth(), RaceBed.BODY), 2);
      }
    }

    @Override
    public int first() {
      meetSecond(0);
      Reclaim.region(BED.reclaimer, old.at().region());
      BED.keep(old.at().region());
      return 0;
    }

    @Override
    public int second() {
      meetFirst(delay);
      return installed(young.install(BED.secondLane));
    }

    @Override
    public int after() {
      synchronized (BED) {
        int named = BED.named(old, young);
        BED.forget(old);
        BED.giveBack(old.at().region());
        BED.regions.release(young.at().region());
        return named;
      }
    }
  }

  /** The reclaimer moves a record, first, while a lane removes its key, second. */
  private static final class Reviving extends Meeting {
    private final int delay;
    private final Written old;

    Reviving() {
      synchronized (BED) {
        BED.makeRoom();
        delay = BED.delay() & 63;
        old = leaving(BED.birth());
      }
    }

    @Override
    public int first() {
      meetSecond(0);
      Reclaim.region(BED.reclaimer, old.at().region());
      BED.keep(old.at().region());
      return 0;
    }

    @Override
    public int second() {
      meetFirst(delay);
      return BED.secondLane.invalidate(old.high(), old.low()) ? 1 : 0;
    }

    @Override
    public int after() {
      synchronized (BED) {
        int named = BED.named(old);
        BED.forget(old);
        BED.giveBack(old.at().region());
        return named;
      }
    }
  }

  /** A lane forgets the record it has found, first, while another installs a younger one. */
  private static final class Forgetting extends Meeting {
    private final int delay;
    private final Written old;
    private final Written young;

    Forgetting() {
      synchronized (BED) {
        BED.makeRoom();
        delay = BED.delay() & 15;
        long number = BED.birth();
        old = BED.writeHead(RaceBed.spec(number, BED.birth(), RaceBed.BODY), 1);
        young = BED.writeHead(RaceBed.spec(number, BED.birth(), RaceBed.BODY), 2);
        if (old.install(BED.firstLane) != InstallOutcome.INSTALLED) {
          throw new IllegalStateException("not installed with nobody there");
        }
      }
    }

    @Override
    public int first() {
      meetSecond(delay);
      BED.firstLane.lookup.discard(old.at(), old.high(), old.low());
      return 0;
    }

    @Override
    public int second() {
      meetFirst(0);
      return installed(young.install(BED.secondLane));
    }

    @Override
    public int after() {
      return end(old, young);
    }
  }

  /**
   * A lane appends, first, while another reads the last bytes below the watermark: 1 they are what
   * was appended, 2 they are not, 0 nothing could be read yet.
   */
  private static final class Watermark extends Meeting {
    private static final int PATIENCE = 2_000;

    private final byte[] bytes = new byte[3_000];
    private final long content;
    private final ObjectWriter writer;

    Watermark() {
      synchronized (BED) {
        BED.makeRoom();
        content = BED.birth();
        ByteBuffer.wrap(bytes)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(bytes.length - Long.BYTES, content);
        ObjectWriter begun = BED.firstLane.begin(RaceBed.spec(content, BED.birth(), bytes.length));
        if (begun == null) {
          throw new IllegalStateException("no space");
        }
        writer = begun;
      }
    }

    @Override
    public int first() {
      meetSecond(0);
      return writer.append(ByteBuffer.wrap(bytes)) ? 1 : 0;
    }

    @Override
    public int second() {
      meetFirst(0);
      long readable = writer.watermark();
      for (int n = 0; n < PATIENCE && readable == 0; n++) {
        readable = writer.watermark();
      }
      if (!writer.locate(BED.secondLane, readable - Long.BYTES)) {
        return 0;
      }
      SliceLocation at = BED.secondLane.slice();
      long read = BED.memory.get(Layouts.LONG, BED.regions.base(at.region()) + at.offset());
      BED.secondLane.unpin(at.region());
      return read == content ? 1 : 2;
    }

    @Override
    public int after() {
      synchronized (BED) {
        writer.abort();
        return 0;
      }
    }
  }

  /**
   * A reader asks again and again for an object that is purged, first, while the purge table
   * overflows, second. First: 1 it was dead each time, 2 it was not.
   */
  private static class Overflowing extends Meeting {
    static final int SCOPE = 1000;
    static final int BIRTH = 5;
    private static final int LOOKS = 30;
    private static final MemorySegment RECORD = record();

    final Overflow table = new Overflow(SCOPE, BIRTH + 1);

    private static MemorySegment record() {
      MemorySegment record = MemorySegment.ofArray(new long[32]);
      record.set(Layouts.LONG, HeadRecord.BIRTH_OFFSET, BIRTH);
      record.set(Layouts.LONG, HeadRecord.BODY_BIRTH_OFFSET, BIRTH);
      record.set(Layouts.INT, HeadRecord.SCOPE_COUNT_OFFSET, 1);
      record.set(Layouts.LONG, HeadRecord.SCOPES_OFFSET, SCOPE);
      return record;
    }

    boolean isDead() {
      return table.isDead(RECORD, 0);
    }

    @Override
    public int first() {
      meetSecond(0);
      for (int look = 0; look < LOOKS; look++) {
        if (!isDead()) {
          return 2;
        }
      }
      return 1;
    }

    @Override
    public int second() {
      meetFirst(0);
      return table.overflow(SCOPE - 1, BIRTH + 2) ? 1 : 0;
    }

    @Override
    public int after() {
      return isDead() ? 0 : 1;
    }
  }

  /** The same by the two scopes that the index holds. */
  private static final class OverflowingByScopes extends Overflowing {
    @Override
    boolean isDead() {
      return table.isDead(SCOPE, 0, BIRTH);
    }
  }
}
