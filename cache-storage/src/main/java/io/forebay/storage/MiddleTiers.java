package io.forebay.storage;

import io.forebay.storage.StoreSettings.MiddleTier;
import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.CheckedLong;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.lock.DirectoryLock;
import io.forebay.storage.memory.AddressRange;
import io.forebay.storage.memory.Headroom;
import io.forebay.storage.memory.MiddleTierMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of the tiers between the first one and the disks, and the number that ties all tiers of
 * a store together. Each start draws a new one and writes it into a file of the data directory and
 * into the headers of all tiers. A tier that was away meanwhile has an older number: what it holds
 * may have been replaced or purged, so it opens empty.
 */
final class MiddleTiers {
  private static final String START_FILE = "tiers.start";

  /** A tier, and where it lies among all. */
  private record Plan(MiddleTier settings, Path directory, int regions, long unit, long at) {
    long bytes(int regionBytes) {
      return (long) regions * regionBytes;
    }
  }

  private final StoreSettings settings;
  private final List<Plan> plans;
  private final List<MiddleTierMemory> tiers = new ArrayList<>();
  private final @Nullable AddressRange range;
  private final Path startFile;
  private final long knownStart;

  /**
   * Takes the directories and reserves addresses for all tiers; maps nothing yet.
   *
   * @param firstBytes of the first tier's file
   * @param owned takes what has to be closed again
   * @param made what this start makes
   */
  MiddleTiers(
      StoreSettings settings, long firstBytes, Deque<AutoCloseable> owned, StartCleanup made)
      throws IOException {
    this.settings = settings;
    this.plans = plan(settings, firstBytes, owned, made);
    this.startFile = settings.dataDirectory().resolve(START_FILE);
    if (plans.isEmpty()) {
      // What lies in tiers that are named again later is not kept up from here on.
      discardAtNextStart();
      this.range = null;
      this.knownStart = 0;
      return;
    }
    this.knownStart = lastStart(settings.dataDirectory());
    this.range = reserve(plans, settings.regionBytes());
    owned.push(range);
  }

  private static List<Plan> plan(
      StoreSettings settings, long firstBytes, Deque<AutoCloseable> owned, StartCleanup made)
      throws IOException {
    List<Plan> plans = new ArrayList<>();
    long at = firstBytes;
    for (MiddleTier tier : settings.tiers()) {
      Path directory = tier.directory();
      boolean isNewDirectory = !Files.isDirectory(directory);
      PrivateFiles.createLastDirectory(directory);
      long unit = MiddleTierMemory.unit(directory);
      owned.push(DirectoryLock.take(directory, unit == MiddleTierMemory.SMALL_UNIT));
      if (isNewDirectory) {
        made.add(directory.resolve(DirectoryLock.NAME));
        made.add(directory);
      }
      int regions = (int) (tier.bytes() / settings.regionBytes());
      while (regions > 0 && (long) regions * settings.regionBytes() % unit != 0) {
        regions--;
      }
      if (regions == 0) {
        throw new IOException(
            "the tier in "
                + directory
                + " holds no whole number of its pages of "
                + (unit >> 20)
                + " MiB: enlarge it");
      }
      Plan plan = new Plan(tier, directory, regions, unit, at);
      at += plan.bytes(settings.regionBytes());
      plans.add(plan);
    }
    return plans;
  }

  /** So that the address of each tier is a multiple of its pages. */
  private static AddressRange reserve(List<Plan> plans, int regionBytes) throws IOException {
    Plan largest = plans.getFirst();
    for (Plan plan : plans) {
      largest = plan.unit() > largest.unit() ? plan : largest;
    }
    for (Plan plan : plans) {
      if ((plan.at() - largest.at()) % plan.unit() != 0) {
        throw new IOException(
            "the tiers in "
                + plan.directory()
                + " and "
                + largest.directory()
                + " cannot both be mapped in huge pages: use a size of tiers between them that is a"
                + " multiple of "
                + (plan.unit() >> 20)
                + " MiB, or a tmpfs for one of them");
      }
    }
    Plan last = plans.getLast();
    // Where all pages are small, the beginning is aligned, as that of any mapped file is.
    boolean isHuge = largest.unit() > MiddleTierMemory.SMALL_UNIT;
    return AddressRange.reserve(
        last.at() + last.bytes(regionBytes), isHuge ? largest.at() : 0, largest.unit());
  }

  /** Where all tiers are mapped; null if there is one. */
  @Nullable AddressRange range() {
    return range;
  }

  /** Maps the files, behind the first tier. */
  void map(Deque<AutoCloseable> owned, StartCleanup made) throws IOException {
    for (Plan plan : plans) {
      AddressRange all = range;
      if (all == null) {
        throw new IllegalStateException("no addresses are reserved");
      }
      MiddleTierMemory tier =
          MiddleTierMemory.map(
              plan.directory(),
              plan.bytes(settings.regionBytes()),
              new Headroom(),
              settings.lockMemory(),
              all,
              plan.at());
      owned.push(tier);
      if (tier.isNew()) {
        made.addFirst(tier.file());
      }
      tiers.add(tier);
    }
  }

  boolean isEmpty() {
    return plans.isEmpty();
  }

  int count() {
    return plans.size();
  }

  MiddleTierMemory tier(int n) {
    return tiers.get(n);
  }

  int regions(int n) {
    return plans.get(n).regions();
  }

  Path directory(int n) {
    return plans.get(n).directory();
  }

  List<MemorySegment> headers() {
    return tiers.stream().map(MiddleTierMemory::header).toList();
  }

  /** What of all middle tiers takes memory of the machine. */
  long volatileBytes() {
    long sum = 0;
    for (int n = 0; n < tiers.size(); n++) {
      sum += tiers.get(n).isVolatile() ? plans.get(n).bytes(settings.regionBytes()) : 0;
    }
    return sum;
  }

  /** Regions of all tiers, the first one's first. */
  int[] regionCounts() {
    int[] counts = new int[plans.size() + 1];
    counts[0] = settings.regionCount();
    for (int n = 0; n < plans.size(); n++) {
      counts[n + 1] = plans.get(n).regions();
    }
    return counts;
  }

  /** Whether a tier was there at the last start of this store with middle tiers. */
  boolean wasThere(MemorySegment header) {
    return knownStart != 0 && CheckedLong.read(header, TierHeader.START_OFFSET, 0) == knownStart;
  }

  /** Whether the last start had middle tiers. */
  boolean isKnown() {
    return knownStart != 0;
  }

  /**
   * Ties all tiers together, from here on. A stop between the stores opens those empty that lack
   * the number. Where a tier outlives the machine, the number in the data directory comes there
   * first, then what the headers say of this start, then their number: whatever a loss of power
   * leaves of that, no tier passes for one that was stopped in order.
   */
  void begin(MemorySegment firstHeader) throws IOException {
    if (plans.isEmpty()) {
      return;
    }
    long start = newStart();
    writeStart(startFile, start);
    for (MiddleTierMemory tier : tiers) {
      tier.forceHeader();
    }
    CheckedLong.write(firstHeader, TierHeader.START_OFFSET, start);
    for (MiddleTierMemory tier : tiers) {
      CheckedLong.write(tier.header(), TierHeader.START_OFFSET, start);
    }
  }

  /** Has the next start open all middle tiers empty. */
  void discardAtNextStart() throws IOException {
    if (Files.deleteIfExists(startFile)) {
      PrivateFiles.forceNames(settings.dataDirectory());
    }
  }

  /** What is missing of the files; null while they are whole. */
  @Nullable String loss() throws IOException {
    for (MiddleTierMemory tier : tiers) {
      if (!tier.isWhole()) {
        return tier.file() + " was truncated";
      }
    }
    return null;
  }

  private static long newStart() {
    SecureRandom random = new SecureRandom();
    long drawn;
    do {
      drawn = random.nextLong();
    } while (drawn == 0);
    return drawn;
  }

  /** The number in a data directory; 0 where there is none that can be read. */
  static long lastStart(Path data) throws IOException {
    Path file = data.resolve(START_FILE);
    if (!PrivateFiles.exists(file)) {
      return 0;
    }
    ByteBuffer bytes = ByteBuffer.allocate(CheckedLong.LENGTH);
    try (FileChannel in = PrivateFiles.openToRead(file)) {
      while (bytes.hasRemaining() && in.read(bytes) >= 0) {
        Thread.onSpinWait();
      }
    }
    MemorySegment number = newNumber();
    number.copyFrom(MemorySegment.ofArray(bytes.array()));
    return CheckedLong.read(number, 0, 0);
  }

  /** Aligned as it has to be. */
  private static MemorySegment newNumber() {
    return MemorySegment.ofArray(new long[CheckedLong.LENGTH / Long.BYTES]);
  }

  private void writeStart(Path file, long start) throws IOException {
    Path made = file.resolveSibling(START_FILE + ".new");
    try (FileChannel out = PrivateFiles.createNew(made)) {
      MemorySegment number = newNumber();
      CheckedLong.write(number, 0, start);
      ByteBuffer bytes = ByteBuffer.wrap(number.toArray(ValueLayout.JAVA_BYTE));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    PrivateFiles.forceNames(settings.dataDirectory());
  }
}
