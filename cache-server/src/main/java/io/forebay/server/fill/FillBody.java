package io.forebay.server.fill;

import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.deliver.Leases;
import io.forebay.server.http.LeaseHolder;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The body of a fill in progress, read by one follower's event loop up to the watermark. If a
 * follower is so far behind that the bytes are no longer in the writer, it reads the stored slices;
 * if it needs bytes far ahead, they are fetched in slices until the watermark has passed them.
 *
 * <pre>
 *   |   in the store   |  kept by the fill  |     to be waited for     |   fetched by slice   |
 *                      released             watermark                  watermark + far
 * </pre>
 */
public final class FillBody implements BodyBytes {

  /** Slices that are fetched where they are missing. */
  public interface Slices extends BodyBytes {
    /** As {@link #locate}, but fetches nothing: LOST where it would have to. */
    int locateWithoutFetch(long position);
  }

  private final Fill fill;
  private final ObjectWriter writer;
  private final FillContext own;
  private final StoreLane lane;
  private final long farBytes;
  private final Supplier<BodyBytes> whatIsStored;
  private @Nullable BodyBytes stored;
  private Runnable onArrival = () -> {};

  /** Where the byte lies that was found last: as lookups find it, or as the fill wrote it. */
  private boolean isInStore;

  /** The store has been asked for bytes and tells when they are there. */
  private boolean isAwaited;

  /** Something that lay ahead was fetched by slice. */
  private boolean isAhead;

  /** Slices cannot be fetched from the origin: bytes ahead are waited for. */
  private boolean isNothingAhead;

  /** What the fill has not brought it brings no more, or not to this follower. */
  private boolean isCutOff;

  FillBody(
      Fill fill,
      ObjectWriter writer,
      FillContext own,
      long farBytes,
      Supplier<BodyBytes> whatIsStored) {
    this.fill = fill;
    this.writer = writer;
    this.own = own;
    this.lane = own.lane();
    // What is in the slice that is being written, or in the next one, will be here first.
    this.farBytes = Math.max(farBytes, own.store().sliceBytes());
    this.whatIsStored = whatIsStored;
  }

  @Override
  public int locate(long position) {
    fill.onFollowerAdvanced(own);
    if (isAwaited) {
      return NOT_YET;
    }
    if (position >= writer.watermark()) {
      return isCutOff ? inStore(slices().locate(position)) : locateAhead(position);
    }
    isInStore = false;
    if (writer.locate(lane, position)) {
      return lane.slice().length();
    }
    if (position >= writer.releasedBytes() && !fill.isInstalled() && !isCutOff) {
      return LOST;
    }
    // Its slices may have moved since; lookups find them where they are now.
    return inStore(slices().locate(position));
  }

  private int locateAhead(long position) {
    boolean isFar = isFar(position);
    if (!isFar && !isAhead) {
      return NOT_YET;
    }
    int length =
        isFar
            ? slices().locate(position)
            : slices() instanceof Slices fetched ? fetched.locateWithoutFetch(position) : LOST;
    if (length == LOST) {
      isNothingAhead |= isFar;
      return NOT_YET;
    }
    isAhead = true;
    return inStore(length);
  }

  private int inStore(int length) {
    isInStore = true;
    isAwaited = length == NOT_YET;
    return length;
  }

  private boolean isFar(long position) {
    return !isNothingAhead && position - writer.watermark() >= farBytes;
  }

  /** From now on nothing is waited for: what the fill has not brought is fetched by slice. */
  public void cutOff() {
    isCutOff = true;
  }

  /**
   * Where a follower at that position stands as far as the fill is concerned: one that reads from
   * elsewhere neither makes it go on nor lets it forget anything.
   */
  public long positionInFill(long position) {
    return isFar(position) ? 0 : position;
  }

  private BodyBytes slices() {
    BodyBytes slices = stored;
    if (slices == null) {
      slices = whatIsStored.get();
      slices.onArrival(this::onStoredArrival);
      stored = slices;
    }
    return slices;
  }

  private void onStoredArrival() {
    isAwaited = false;
    onArrival.run();
  }

  @Override
  public void onArrival(Runnable told) {
    onArrival = told;
  }

  @Override
  public ByteBuf take(Leases leases, int lengthBytes, LeaseHolder holder) {
    return isInStore
        ? slices().take(leases, lengthBytes, holder)
        : leases.take(lane.slice().region(), lane.slice().offset(), lengthBytes, holder);
  }
}
