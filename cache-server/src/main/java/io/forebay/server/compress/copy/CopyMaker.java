package io.forebay.server.compress.copy;

import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.compress.CodingLevels;
import io.forebay.server.compress.CodingStream;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.Compressors;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.counters.CopyCounters.Outcome;
import io.forebay.server.fill.FillContext;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Has coded copies made of what one loop has found, and says of which objects there are none. It
 * expects the key of the source in the loop's key builder, where it is not said otherwise.
 *
 * <p>Owner: the loop.
 */
public final class CopyMaker {

  /** Of larger bodies no copies are made. */
  public static final long MAX_BODY_BYTES = 64L << 20;

  private static final int NO_MINUTES = 0;
  private static final long TAG_NUMBERS = 10_000_000_000L;

  private final FillContext loop;
  private final EventExecutor executor;
  private final Compressors compressors;
  private final CopyRegistry registry;

  /** Of the store, so that two nodes give their copies other tags. */
  private final long storeNumber;

  /**
   * That of one loop.
   *
   * @param executor the loop, where codings answer
   */
  public CopyMaker(
      FillContext loop, EventExecutor executor, Compressors compressors, CopyRegistry registry) {
    this.loop = loop;
    this.executor = executor;
    this.compressors = compressors;
    this.registry = registry;
    this.storeNumber = ByteBuffer.wrap(loop.store().secret()).getLong();
  }

  /** Whether there may be copies of a response, by its marks and its length. */
  public static boolean mayHaveCopies(
      CompressionSettings settings, StoredMeta meta, long totalLength) {
    return meta.isCompressible()
        && settings.isOn()
        && totalLength >= Math.max(1, settings.minBytes())
        && totalLength <= MAX_BODY_BYTES;
  }

  /** Whether a copy was found not to be worth making, lately. Neither locks nor allocates. */
  public boolean isRefused(
      StoredHead source, ContentCoding coding, CodingLevels levels, long nowMillis) {
    return registry.isRefused(source.objectId(), coding, levels.of(coding), nowMillis);
  }

  /**
   * Has a copy made in the background, unless it is being made already or there is no place for it
   * now.
   *
   * @param source held by the caller, in memory or not
   * @param meta of the source
   */
  public void ask(
      StoredHead source,
      StoredMeta meta,
      ContentCoding coding,
      CodingLevels levels,
      int storageClass) {
    int level = levels.of(coding);
    long objectId = source.objectId();
    // What was only read from its disk for this request is hardly asked for again soon.
    if (source.region() < 0 || !registry.begin(objectId, coding, level)) {
      return;
    }
    long number = loop.store().nextBirth();
    HeadSpec spec =
        number < 0
            ? null
            : spec(
                source,
                meta,
                coding,
                levels,
                CopyHead.tagSuffix(coding, level, tagNumber(number)),
                storageClass);
    if (spec == null) {
      registry.refuse(objectId, coding, level, loop.nowMillis(), CopyJob.LONG_MINUTES);
      ended(objectId, coding, level, Outcome.FAILED, NO_MINUTES);
      return;
    }
    HeadSpec.Copied copied =
        new HeadSpec.Copied(loop.keys().hi(), loop.keys().lo(), objectId, source.bodyBirth());
    CopyJob job =
        new CopyJob(
            loop,
            spec.copiedFrom(copied),
            source,
            (outcome, minutes) -> ended(objectId, coding, level, outcome, minutes));
    CodingStream stream =
        compressors.open(Compressors.Use.COPY, coding, level, source.totalLength(), executor, job);
    if (stream == null) {
      ended(objectId, coding, level, Outcome.BUSY, NO_MINUTES);
      return;
    }
    job.start(stream, inline(source));
  }

  private void ended(long objectId, ContentCoding coding, int level, Outcome outcome, int minutes) {
    if (minutes > 0) {
      registry.refuse(objectId, coding, level, loop.nowMillis(), minutes);
    }
    registry.end(objectId, coding, level);
    loop.counters().copies.count(outcome);
  }

  /** A body that lies with its head, or null. */
  private @Nullable ByteBuf inline(StoredHead source) {
    if (source.bodyOffset() < 0) {
      return null;
    }
    ByteBuffer body = loop.store().regionBuffer(source.region()).duplicate();
    body.limit(source.bodyOffset() + (int) source.totalLength()).position(source.bodyOffset());
    // The coding copies it at once.
    return Unpooled.wrappedBuffer(body);
  }

  /** Null where key or head would be too long. Leaves the key of the source. */
  private @Nullable HeadSpec spec(
      StoredHead source,
      StoredMeta meta,
      ContentCoding coding,
      CodingLevels levels,
      String tagSuffix,
      int storageClass) {
    byte[] head =
        CopyHead.of(
            meta,
            loop.store().bytes(source),
            source.headOffset(),
            source.headLength(),
            source.objectId(),
            source.birth(),
            coding,
            tagSuffix);
    KeyBuilder keys = loop.keys();
    boolean isBuilt = CopyKeys.build(keys, coding, levels);
    HeadSpec spec =
        isBuilt && head != null
            ? new HeadSpec(
                    keys.hi(),
                    keys.lo(),
                    Arrays.copyOf(keys.text(), keys.textLength()),
                    keys.textLength(),
                    head,
                    loop.lane().scopes(source),
                    -1,
                    source.expiresAtMillis(),
                    HeadSpec.Kind.OBJECT,
                    -1)
                .inClass(storageClass)
            : null;
    keys.uncoded();
    return spec;
  }

  /** Up to ten digits that other stores hardly draw. */
  private long tagNumber(long birth) {
    long mixed = (birth ^ storeNumber) * 0x9E37_79B9_7F4A_7C15L;
    return Long.remainderUnsigned(mixed ^ mixed >>> 32, TAG_NUMBERS);
  }

  /**
   * Writes the head of a copy anew, after the origin has confirmed its source: the body of both is
   * what it was.
   *
   * @param source held by the caller
   * @param meta of the source
   * @param copyObjectId the copy that was found
   * @param copyTag its entity tag, or null
   */
  public InstallOutcome rewrite(
      StoredHead source,
      StoredMeta meta,
      long copyObjectId,
      @Nullable String copyTag,
      ContentCoding coding,
      CodingLevels levels,
      int storageClass) {
    long birth = loop.store().nextBirth();
    String suffix = CopyHead.tagSuffix(copyTag);
    if (suffix == null) {
      suffix = CopyHead.tagSuffix(coding, levels.of(coding), tagNumber(birth));
    }
    HeadSpec spec = birth < 0 ? null : spec(source, meta, coding, levels, suffix, storageClass);
    if (spec == null) {
      return InstallOutcome.NO_SPACE;
    }
    InstallOutcome outcome = loop.lane().refresh(CopyJob.born(spec, birth), copyObjectId);
    if (outcome == InstallOutcome.INSTALLED) {
      loop.counters().copies.count(Outcome.REWRITTEN);
    }
    return outcome;
  }
}
