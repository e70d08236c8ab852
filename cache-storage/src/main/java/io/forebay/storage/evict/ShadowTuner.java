package io.forebay.storage.evict;

import io.forebay.storage.ghost.GhostFilter;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tunes the eviction policy: runs models of the tier with other settings and sizes on a sample of
 * the live traffic. Reclaim thread only, except {@link #stats}.
 *
 * <p>Memory is bounded: when the largest model holds more records than the limit, the sample is
 * halved and every model with it.
 */
public final class ShadowTuner {
  /** Records that the model of four times the size may hold. */
  static final int RECORD_LIMIT = 1 << 16;

  private static final double[] SHARES = {0, 0.3, 0.5, 0.7, 0.85, 0.95};
  private static final int[] THRESHOLDS = {1, 2};
  private static final double[] SCALES =
      EvictionStats.CURVE_SCALES.stream().mapToDouble(Double::doubleValue).toArray();
  private static final int SAME = 1;
  private static final int LARGEST = SCALES.length - 1;

  /**
   * Sampled records that most models see together, one model after the other: then the arrays of
   * one model at a time are in the CPU's cache. Models that have a say at once see each record at
   * once: that of the same size, which ends windows, and the largest, which halves the sample.
   */
  static final int BATCH = 256;

  private static final long BATCH_HEAP_BYTES = BATCH * (Long.BYTES + 2L * Integer.BYTES + 1);

  /** A window is over when misses have brought in this part of the tier, and so many requests. */
  private static final double WINDOW_PART = 1.0 / 16;

  private static final int WINDOW_REQUESTS = 512;

  /** One in so many requests has to be for a small object before sizes are tried. */
  private static final int SMALL_PART = 16;

  /** The curve is of the last few times so many requests. */
  private static final int FADING_REQUESTS = 1 << 12;

  /** When a quarter of so many events was lost, the sample is too thick. */
  private static final int CHECK_EVENTS = 1 << 16;

  private final SegmentPolicy live;
  private final SampleFilter sample;
  private final int recordLimit;
  private final int sliceBytes;
  private final int inlineBytes;
  private final @Nullable SettingTuner chooser;
  private final @Nullable SmallObjectTuner sizeChooser;

  /**
   * Tiers under the settings that are tried. None while there is room, for all settings do the same
   * then; made from the model of the tier as it is when there is none any more.
   */
  private TierModel[] candidates = {};

  private SegmentPolicy[] candidatePolicies = {};
  private final double[] missed;

  /**
   * Tiers that favour small objects more or less, on half the sample. None while hardly any request
   * is for an object that could be favoured.
   */
  private TierModel[] favouring = {};

  private SegmentPolicy[] favouringPolicies = {};
  private final SampleFilter favouringSample = new SampleFilter();
  private final double[] favouringMissed;
  private final double[] favouringMissedHeads;
  private final TierModel[] sizes;
  private final SegmentPolicy[] sizePolicies;
  private final Tally[] tallies;
  private final long[] waitingObjects;
  private final int[] waitingParts;
  private final int[] waitingLengths;
  private final byte[] waitingClasses;
  private int waiting;
  private boolean isTrying;
  private final int largestFavoured;
  private long windowRequests;
  private long windowSmallRequests;
  private long windowMissedBytes;
  private long requests;
  private long changes;
  private long lost;
  private long eventsSinceCheck;
  private long lostSinceCheck;
  private volatile EvictionStats stats;

  private static final class Tally {
    double requests;
    double hits;
    double bytes;
    double hitBytes;

    void count(boolean isHead, int length, boolean isHit) {
      bytes += length;
      hitBytes += isHit ? length : 0;
      if (isHead) {
        requests++;
        hits += isHit ? 1 : 0;
      }
    }

    void fade() {
      requests *= SettingTuner.KEPT;
      hits *= SettingTuner.KEPT;
      bytes *= SettingTuner.KEPT;
      hitBytes *= SettingTuner.KEPT;
    }
  }

  /**
   * @param usableBytes of the tier without its spare regions
   * @param eviction whose policy is tuned, and whose sample follows
   */
  public ShadowTuner(
      long usableBytes,
      long regionBytes,
      int sliceBytes,
      int inlineBytes,
      Tuning tuning,
      EvictionState eviction) {
    this(usableBytes, regionBytes, sliceBytes, inlineBytes, tuning, eviction, RECORD_LIMIT, BATCH);
  }

  ShadowTuner(
      long usableBytes,
      long regionBytes,
      int sliceBytes,
      int inlineBytes,
      Tuning tuning,
      EvictionState eviction,
      int recordLimit,
      int batch) {
    this.live = eviction.policy();
    this.sample = eviction.sample();
    this.recordLimit = recordLimit;
    this.sliceBytes = sliceBytes;
    this.inlineBytes = inlineBytes;
    SegmentPolicy.Setting start = live.setting();
    boolean isTuned = tuning.isShareTuned() || tuning.isThresholdTuned();
    this.chooser =
        isTuned
            ? new SettingTuner(
                tuning.isShareTuned() ? SHARES : new double[] {start.protectedShare()},
                tuning.isThresholdTuned() ? THRESHOLDS : new int[] {start.threshold()},
                start)
            : null;
    this.missed = new double[chooser == null ? 0 : chooser.size()];
    this.sizeChooser =
        tuning.isSmallTuned()
            ? new SmallObjectTuner(SegmentPolicy.sizeClass(sliceBytes) - 1, start.smallClass())
            : null;
    this.favouringMissed = new double[sizeChooser == null ? 0 : sizeChooser.size()];
    this.favouringMissedHeads = new double[favouringMissed.length];
    this.largestFavoured = SegmentPolicy.sizeClass(sliceBytes) - 1;
    favouringSample.halve();
    this.sizes = new TierModel[SCALES.length];
    this.sizePolicies = new SegmentPolicy[SCALES.length];
    this.tallies = new Tally[SCALES.length];
    this.waitingObjects = new long[batch];
    this.waitingParts = new int[batch];
    this.waitingLengths = new int[batch];
    this.waitingClasses = new byte[batch];
    for (int size = 0; size < sizes.length; size++) {
      sizePolicies[size] = new SegmentPolicy(start);
      // As many regions at every size, as the store would have.
      long scaledBytes = (long) (usableBytes * SCALES[size]);
      sizes[size] =
          new TierModel(
              scaledBytes,
              (long) (regionBytes * SCALES[size]),
              sizePolicies[size],
              new GhostFilter(scaledBytes, recordLimit));
      tallies[size] = new Tally();
    }
    this.stats = snapshot();
  }

  /** Memory that a shadow and the rings of so many lanes take at most. */
  public static long heapBytes(int lanes) {
    long models = (long) SHARES.length * THRESHOLDS.length + SCALES.length;
    return models * RECORD_LIMIT * TierModel.RECORD_HEAP_BYTES
        + BATCH_HEAP_BYTES
        + lanes * SampleRing.HEAP_BYTES;
  }

  /** Any thread. */
  public EvictionStats stats() {
    return stats;
  }

  /** Takes in what the lanes saw; true if there may soon be more. */
  public boolean step(List<SampleRing> rings) {
    boolean isBehind = false;
    for (SampleRing ring : rings) {
      int events = ring.drain(this);
      long newlyLost = ring.newlyLost();
      eventsSinceCheck += events + newlyLost;
      lostSinceCheck += newlyLost;
      lost += newlyLost;
      isBehind |= newlyLost > 0;
    }
    if (eventsSinceCheck >= CHECK_EVENTS) {
      if (lostSinceCheck > eventsSinceCheck / 4) {
        thin();
      }
      eventsSinceCheck = 0;
      lostSinceCheck = 0;
    }
    return isBehind;
  }

  /** Somebody asked for a record that is there, or wrote one that was not. */
  public void onRecord(long object, int part, int recordLength, long bodyLength) {
    // The lane may have asked a thicker sample.
    if (!sample.has(object)) {
      return;
    }
    int length = Layouts.roundUp(recordLength, RecordHeader.ALIGNMENT) + DirectoryEntry.LENGTH;
    if (!isTrying && sizes[SAME].isFull()) {
      catchUp();
      tryOut();
    }
    int sizeClass = SegmentPolicy.sizeClass(bodyLength);
    waitingObjects[waiting] = object;
    waitingParts[waiting] = part;
    waitingLengths[waiting] = length;
    waitingClasses[waiting] = (byte) sizeClass;
    waiting++;
    if (!ask(SAME, object, part, length, sizeClass)) {
      windowMissedBytes += length;
    }
    boolean ignored = ask(LARGEST, object, part, length, sizeClass);
    if (part == TierModel.HEAD) {
      onRequest(sizeClass <= largestFavoured);
    }
    if (sizes[LARGEST].count() >= recordLimit) {
      thin();
    }
    if (windowRequests >= WINDOW_REQUESTS
        && windowMissedBytes >= sizes[SAME].usableBytes() * WINDOW_PART) {
      endWindow();
    }
    if (waiting == waitingObjects.length) {
      catchUp();
    }
  }

  private boolean ask(int size, long object, int part, int length, int sizeClass) {
    boolean isHit = sizes[size].access(object, part, length, sizeClass);
    tallies[size].count(part == TierModel.HEAD, length, isHit);
    return isHit;
  }

  private void onRequest(boolean isSmall) {
    requests++;
    windowRequests++;
    windowSmallRequests += isSmall ? 1 : 0;
    if (requests % WINDOW_REQUESTS == 0) {
      catchUp();
      stats = snapshot();
    }
    if (requests % FADING_REQUESTS == 0) {
      catchUp();
      for (Tally tally : tallies) {
        tally.fade();
      }
    }
  }

  /** Shows the waiting records to the models that have not seen them. */
  private void catchUp() {
    for (int number = 0; number < candidates.length; number++) {
      missed[number] += missedBytes(candidates[number]);
    }
    for (int number = 0; number < favouring.length; number++) {
      for (int at = 0; at < waiting; at++) {
        if (favouringSample.has(waitingObjects[at]) && !accessWaiting(favouring[number], at)) {
          favouringMissed[number] += waitingLengths[at];
          favouringMissedHeads[number] += waitingParts[at] == TierModel.HEAD ? 1 : 0;
        }
      }
    }
    for (int size = 0; size < sizes.length; size++) {
      if (size != SAME && size != LARGEST) {
        for (int at = 0; at < waiting; at++) {
          boolean ignored =
              ask(
                  size,
                  waitingObjects[at],
                  waitingParts[at],
                  waitingLengths[at],
                  waitingClasses[at]);
        }
      }
    }
    waiting = 0;
  }

  private long missedBytes(TierModel model) {
    long bytes = 0;
    for (int at = 0; at < waiting; at++) {
      if (!accessWaiting(model, at)) {
        bytes += waitingLengths[at];
      }
    }
    return bytes;
  }

  private boolean accessWaiting(TierModel model, int at) {
    return model.access(
        waitingObjects[at], waitingParts[at], waitingLengths[at], waitingClasses[at]);
  }

  private void tryOut() {
    isTrying = true;
    SegmentPolicy.Setting now = live.setting();
    if (chooser != null) {
      candidatePolicies = new SegmentPolicy[chooser.size()];
      for (int number = 0; number < candidatePolicies.length; number++) {
        candidatePolicies[number] =
            new SegmentPolicy(chooser.candidate(number).withSmallClass(now.smallClass()));
      }
      candidates = models(candidatePolicies);
    }
  }

  private void tryOutFavouring(SmallObjectTuner tuner) {
    favouringPolicies = new SegmentPolicy[tuner.size()];
    for (int number = 0; number < favouringPolicies.length; number++) {
      favouringPolicies[number] =
          new SegmentPolicy(live.setting().withSmallClass(tuner.candidate(number)));
    }
    favouring = models(favouringPolicies);
    for (TierModel model : favouring) {
      model.thin(favouringSample);
    }
  }

  /** Copies of the model of the tier as it is, under other policies. */
  private TierModel[] models(SegmentPolicy[] policies) {
    TierModel[] made = new TierModel[policies.length];
    for (int number = 0; number < made.length; number++) {
      made[number] =
          sizes[SAME].copy(
              policies[number], new GhostFilter(sizes[SAME].usableBytes(), recordLimit));
    }
    return made;
  }

  /** Somebody wrote a whole object that was not there. */
  public void onObject(long object, int headLength, long bodyLength) {
    if (bodyLength <= inlineBytes) {
      onRecord(object, TierModel.HEAD, headLength + (int) bodyLength, bodyLength);
      return;
    }
    onRecord(object, TierModel.HEAD, headLength, bodyLength);
    for (long at = 0; at < bodyLength; at += sliceBytes) {
      onRecord(
          object,
          1 + (int) (at / sliceBytes),
          SliceRecord.LENGTH + (int) Math.min(sliceBytes, bodyLength - at),
          bodyLength);
    }
  }

  private void thin() {
    catchUp();
    sample.halve();
    for (TierModel model : candidates) {
      model.thin(sample);
    }
    favouringSample.halve();
    for (TierModel model : favouring) {
      model.thin(favouringSample);
    }
    for (TierModel model : sizes) {
      model.thin(sample);
    }
    windowMissedBytes /= 2;
  }

  private void endWindow() {
    catchUp();
    if (isTrying) {
      SegmentPolicy.Setting now = live.setting();
      SegmentPolicy.Setting next = chooser == null ? null : chooser.onWindow(missed);
      next = (next == null ? now : next).withSmallClass(now.smallClass());
      if (sizeChooser != null && favouring.length > 0) {
        next = next.withSmallClass(sizeChooser.onWindow(favouringMissed, favouringMissedHeads));
      }
      if (!next.equals(now)) {
        change(next);
      }
      if (sizeChooser != null
          && favouring.length == 0
          && windowSmallRequests >= windowRequests / SMALL_PART) {
        tryOutFavouring(sizeChooser);
      }
    }
    Arrays.fill(missed, 0);
    Arrays.fill(favouringMissed, 0);
    Arrays.fill(favouringMissedHeads, 0);
    windowRequests = 0;
    windowSmallRequests = 0;
    windowMissedBytes = 0;
  }

  private void change(SegmentPolicy.Setting next) {
    changes++;
    live.setting(next);
    for (SegmentPolicy policy : sizePolicies) {
      policy.setting(next);
    }
    for (SegmentPolicy policy : candidatePolicies) {
      policy.setting(policy.setting().withSmallClass(next.smallClass()));
    }
    for (SegmentPolicy policy : favouringPolicies) {
      policy.setting(next.withSmallClass(policy.setting().smallClass()));
    }
  }

  private EvictionStats snapshot() {
    List<HitEstimate> curve = new ArrayList<>();
    for (int size = 0; size < sizes.length; size++) {
      Tally tally = tallies[size];
      if (tally.requests > 0) {
        curve.add(
            new HitEstimate(
                SCALES[size],
                tally.hits / tally.requests,
                tally.bytes == 0 ? 0 : tally.hitBytes / tally.bytes));
      }
    }
    SegmentPolicy.Setting setting = live.setting();
    return new EvictionStats(
        setting.protectedShare(),
        setting.threshold(),
        setting.smallObjectBytes(),
        changes,
        sample.rate(),
        requests,
        lost,
        List.copyOf(curve));
  }
}
