package io.forebay.server.compress.copy;

import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.compress.CodingLevels;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.Compressors;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.DeltaCoding;
import io.forebay.server.counters.CopyCounters;
import io.forebay.server.counters.CopyCounters.Outcome;
import io.forebay.server.fill.FillContext;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import io.netty.util.concurrent.EventExecutor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
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

  /** Whether a copy was found not to be worth making, lately. */
  public boolean isRefused(StoredHead source, CopyForm form, long nowMillis) {
    return registry.isRefused(form.numberOf(source.objectId()), nowMillis);
  }

  /** The same of a copy in a coding. Neither locks nor allocates. */
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
    CopyJob job =
        job(
            source,
            meta,
            CopyKeys.form(coding, levels),
            source.totalLength(),
            storageClass,
            loop.counters().copies,
            outcome -> {});
    if (job != null) {
      job.start(
          compressors.open(
              Compressors.Use.COPY, coding, levels.of(coding), source.totalLength(), executor, job),
          SourceReader.inline(loop, source));
    }
  }

  /**
   * Has a delta made in the background, likewise, if its response has not so many already.
   *
   * @param source held by the caller, in memory or not
   * @param meta of the source
   * @param dictionary what the client has
   * @param bestLength of the shortest body that the client could have without it
   */
  public void ask(
      StoredHead source,
      StoredMeta meta,
      DeltaCoding coding,
      int level,
      StoredDictionary dictionary,
      long bestLength,
      int storageClass) {
    long objectId = source.objectId();
    DeltaLimits limits = registry.deltas();
    if (source.region() < 0 || !limits.begin(objectId)) {
      return;
    }
    CopyJob job =
        job(
            source,
            meta,
            CopyForm.of(coding, level, dictionary.sha256()),
            bestLength,
            storageClass,
            loop.counters().deltas,
            outcome -> limits.end(objectId, outcome == Outcome.MADE));
    if (job == null) {
      return;
    }
    long length = source.totalLength();
    ByteBuffer inline = SourceReader.inline(loop, source);
    // The source is not held until the dictionary has been read.
    ByteBuffer body = inline == null ? null : ByteBuffer.allocate(inline.remaining()).put(inline);
    BodyLoader.load(
        loop,
        dictionary,
        bytes -> {
          if (bytes == null) {
            job.giveUp(Outcome.SOURCE_GONE);
          } else {
            job.start(
                compressors.openDelta(
                    coding, level, bytes, dictionary.sha256(), length, executor, job),
                body == null ? null : body.flip());
          }
        });
  }

  /** Null if it is being made already, or can't be; the listener has been told then. */
  private @Nullable CopyJob job(
      StoredHead source,
      StoredMeta meta,
      CopyForm form,
      long bestLength,
      int storageClass,
      CopyCounters counters,
      Consumer<Outcome> listener) {
    long objectId = source.objectId();
    long number = form.numberOf(objectId);
    // What was only read from its disk for this request is hardly asked for again soon.
    if (source.region() < 0 || !registry.begin(number)) {
      listener.accept(Outcome.BUSY);
      return null;
    }
    CopyJob.Done done =
        (outcome, minutes) -> {
          if (minutes > 0) {
            registry.refuse(number, loop.nowMillis(), minutes);
          }
          registry.end(number);
          counters.count(outcome);
          listener.accept(outcome);
        };
    long birth = loop.store().nextBirth();
    HeadSpec spec =
        birth < 0 ? null : spec(source, meta, form, form.tagSuffix(tagNumber(birth)), storageClass);
    if (spec == null) {
      done.ended(Outcome.FAILED, CopyJob.LONG_MINUTES);
      return null;
    }
    HeadSpec.Copied copied =
        new HeadSpec.Copied(loop.keys().hi(), loop.keys().lo(), objectId, source.bodyBirth());
    return new CopyJob(loop, spec.copiedFrom(copied), source, bestLength, counters, done);
  }

  /** Null where key or head would be too long. Leaves the key of the source. */
  private @Nullable HeadSpec spec(
      StoredHead source, StoredMeta meta, CopyForm form, String tagSuffix, int storageClass) {
    byte[] head =
        CopyHead.of(
            meta,
            loop.store().bytes(source),
            source.headOffset(),
            source.headLength(),
            source.objectId(),
            source.birth(),
            form,
            tagSuffix);
    KeyBuilder keys = loop.keys();
    boolean isBuilt = CopyKeys.build(keys, form);
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
      CopyForm form,
      int storageClass) {
    long birth = loop.store().nextBirth();
    String suffix = CopyHead.tagSuffix(copyTag);
    if (suffix == null) {
      suffix = form.tagSuffix(tagNumber(birth));
    }
    HeadSpec spec = birth < 0 ? null : spec(source, meta, form, suffix, storageClass);
    if (spec == null) {
      return InstallOutcome.NO_SPACE;
    }
    InstallOutcome outcome = loop.lane().refresh(CopyJob.born(spec, birth), copyObjectId);
    if (outcome == InstallOutcome.INSTALLED) {
      (form.isDelta() ? loop.counters().deltas : loop.counters().copies).count(Outcome.REWRITTEN);
    }
    return outcome;
  }
}
