package io.forebay.server.exchange;

import io.forebay.core.http.KnownField;
import io.forebay.core.http.Latin1Text;
import io.forebay.core.http.WireRequest;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.compress.CodingLevels;
import io.forebay.server.compress.CodingWeights;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.copy.CopyKeys;
import io.forebay.server.compress.copy.CopyMaker;
import io.forebay.server.compress.copy.Representation;
import io.forebay.server.fill.FillContext;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.transit.TransitBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the coded copy that takes the place of a stored response, once it is decided that the
 * response is served. Where there is none the response itself is served, and a copy is asked for.
 *
 * <p>One per loop. Between two calls it holds nothing.
 */
final class CopyLookup {

  /** What a response is served from. */
  enum Found {
    /** The copy: the lane's head, with the loop's meta; the source is given back. */
    COPY,
    /** The source: {@link #source}, with the loop's meta. */
    SOURCE,
    /** The copy has to be read from a disk. The source is in {@link #source}, still held. */
    ON_DISK,
    /** Nothing is held any more; the request has to be looked up (again, or by an exchange). */
    AGAIN
  }

  private static final int MAX_KNOWN = 128;
  private static final int NO_TRANSFORM_LENGTH = "no-transform".length();

  private final FillContext loop;
  private final CopyMaker maker;
  private final StoreLane lane;
  private final KeyBuilder keys;
  private final StoredMeta meta;
  private final StoredHead source = new StoredHead();
  private final Latin1Text text = new Latin1Text();

  // The last Accept-Encoding in the fast lane, and its weights: most clients send the same.
  private final byte[] known = new byte[MAX_KNOWN];
  private int knownLength;
  private long knownWeights = CodingWeights.NONE;

  // The copy that was found last.
  private @Nullable ContentCoding coding;
  private long copyHi;
  private long copyLo;
  private long copyObjectId;

  CopyLookup(FillContext loop, CopyMaker maker) {
    this.loop = loop;
    this.maker = maker;
    this.lane = loop.lane();
    this.keys = loop.keys();
    this.meta = loop.meta();
  }

  /** The response that was looked at, unless a copy takes its place. */
  StoredHead source() {
    return source;
  }

  /** That of the copy that was found last. */
  @Nullable ContentCoding coding() {
    return coding;
  }

  // --- for an exchange --------------------------------------------------------------------------

  /**
   * Looks for the copy that a request is answered with.
   *
   * @param found the response, pinned or held; with the loop's meta
   */
  Found find(ClientRequest request, StoredHead found) {
    source.takeOver(found);
    Route route = request.route();
    CompressionSettings settings = request.config().compression(route);
    if (request.isIdentityOnly()
        || !CopyMaker.mayHaveCopies(settings, meta, source.totalLength())
        || keys.hi() != request.keyHi()
        || keys.lo() != request.keyLo()) {
      return Found.SOURCE;
    }
    return switch (Representation.of(request.view(), meta, settings)) {
      case Representation.Identity(), Representation.Confirmed(String _) -> Found.SOURCE;
      case Representation.Coded(ContentCoding coding) ->
          find(request, coding, settings.copies(), loop.storageClass(route));
    };
  }

  private Found find(
      ClientRequest request, ContentCoding wanted, CodingLevels levels, int storageClass) {
    if (maker.isRefused(source, wanted, levels, loop.nowMillis())) {
      return Found.SOURCE;
    }
    coding = wanted;
    if (!CopyKeys.build(keys, wanted, levels)) {
      keys.uncoded();
      return Found.SOURCE;
    }
    StoreLane.Found found = look(request);
    if (found == StoreLane.Found.HIT && isOfSource(lane.head())) {
      if (meta.sourceBirth() == source.birth()) {
        return served();
      }
      found = rewritten(wanted, levels, storageClass);
      if (found == StoreLane.Found.HIT) {
        return served();
      }
    }
    wrapSource();
    keys.uncoded();
    if (found == StoreLane.Found.ON_DISK) {
      return Found.ON_DISK;
    }
    if (found != StoreLane.Found.BUSY) {
      maker.ask(source, meta, wanted, levels, storageClass);
    }
    return Found.SOURCE;
  }

  private StoreLane.Found look(ClientRequest request) {
    StoreLane.Found found = lane.find(keys.hi(), keys.lo(), keys.text(), keys.textLength());
    if (found != StoreLane.Found.ON_DISK) {
      return found;
    }
    TransitBuffer known = request.copyRead();
    TransitBuffer read = known == null ? lane.readCached() : known;
    if (read == null) {
      return StoreLane.Found.ON_DISK;
    }
    try {
      return lane.findRead(read, keys.text(), keys.textLength());
    } finally {
      if (known == null) {
        read.release();
      }
    }
  }

  /** Whether what was found was made of the source; else it is given back. */
  private boolean isOfSource(StoredHead copy) {
    if (meta.wrap(loop.store().bytes(copy), copy.headOffset())
        && meta.isCodedCopy()
        && meta.sourceObjectId() == source.objectId()) {
      return true;
    }
    lane.unpin(copy);
    return false;
  }

  private Found served() {
    StoredHead copy = lane.head();
    copyHi = keys.hi();
    copyLo = keys.lo();
    copyObjectId = copy.objectId();
    keys.uncoded();
    lane.unpin(source);
    return Found.COPY;
  }

  /**
   * The source has another head by now, since its origin has confirmed it: writes that of the copy
   * anew, and finds it. Expects the key of the copy; HIT if it is found.
   */
  private StoreLane.Found rewritten(ContentCoding wanted, CodingLevels levels, int storageClass) {
    long objectId = lane.head().objectId();
    String etag = meta.etag();
    lane.unpin(lane.head());
    wrapSource();
    keys.uncoded();
    InstallOutcome outcome =
        maker.rewrite(source, meta, objectId, etag, wanted, levels, storageClass);
    if (!CopyKeys.build(keys, wanted, levels)) {
      return StoreLane.Found.BUSY;
    }
    return switch (outcome) {
      case INSTALLED ->
          lane.find(keys.hi(), keys.lo(), keys.text(), keys.textLength()) == StoreLane.Found.HIT
                  && isOfSource(lane.head())
              ? StoreLane.Found.HIT
              : StoreLane.Found.BUSY;
      // Not in memory, or gone: a new one takes its place.
      case GONE, PURGED -> StoreLane.Found.MISS;
      default -> StoreLane.Found.BUSY;
    };
  }

  private void wrapSource() {
    boolean isThere = meta.wrap(loop.store().bytes(source), source.headOffset());
    assert isThere;
  }

  /** The copy that was found last lacks a part of its body: nobody finds it any more. */
  void forget() {
    boolean ignored = lane.drop(copyHi, copyLo, copyObjectId);
  }

  // --- for the fast lane ------------------------------------------------------------------------

  /**
   * Looks for the copy among what this loop has found recently. Allocates nothing. On COPY and
   * SOURCE the lane's head is what is served.
   *
   * @param found the response, pinned in memory; with the loop's meta
   */
  Found findNear(
      RuntimeConfig config, Route route, WireRequest request, StoredHead found, long nowMillis) {
    if (!request.has(KnownField.ACCEPT_ENCODING)) {
      return Found.SOURCE;
    }
    CompressionSettings settings = config.compression(route);
    if (!CopyMaker.mayHaveCopies(settings, meta, found.totalLength())) {
      return Found.SOURCE;
    }
    ContentCoding wanted = settings.choose(weights(request));
    if (wanted == null || maker.isRefused(found, wanted, settings.copies(), nowMillis)) {
      return Found.SOURCE;
    }
    if (mayForbidTransform(request)) {
      lane.unpin(found.region());
      return Found.AGAIN;
    }
    coding = wanted;
    long objectId = found.objectId();
    long birth = found.birth();
    int region = found.region();
    // The source is needed for each hit of the copy, so both count as asked for.
    lane.askedFor();
    if (!CopyKeys.build(keys, wanted, settings.copies())
        || !lane.findNear(keys.hi(), keys.lo(), keys.text(), keys.textLength())) {
      lane.unpin(region);
      return Found.AGAIN;
    }
    lane.unpin(region);
    StoredHead copy = lane.head();
    if (meta.wrap(loop.store().region(copy.region()), copy.headOffset())
        && meta.isCodedCopy()
        && meta.sourceObjectId() == objectId
        && meta.sourceBirth() == birth) {
      return Found.COPY;
    }
    lane.unpin(copy.region());
    return Found.AGAIN;
  }

  /** Whether Cache-Control is long enough for {@code no-transform}: an exchange reads it. */
  private boolean mayForbidTransform(WireRequest request) {
    return request.has(KnownField.CACHE_CONTROL)
        && request.field("cache-control", text)
        && text.length() >= NO_TRANSFORM_LENGTH;
  }

  /** Of a field that is what it was last time, what it came to then. */
  private long weights(WireRequest request) {
    int next = request.nextField("accept-encoding", WireRequest.FIRST_FIELD, text);
    if (next < 0) {
      return CodingWeights.NONE;
    }
    if (!isKnown(text)) {
      knownWeights = CodingWeights.add(CodingWeights.NONE, text);
      knownLength = Math.min(text.length(), known.length + 1);
      text.copyTo(known, 0, 0, Math.min(text.length(), known.length));
    }
    long weights = knownWeights;
    while ((next = request.nextField("accept-encoding", next, text)) >= 0) {
      weights = CodingWeights.add(weights, text);
    }
    return weights;
  }

  private boolean isKnown(Latin1Text value) {
    // A longer value than can be kept is never known.
    if (value.length() != knownLength || knownLength > known.length) {
      return false;
    }
    for (int i = 0; i < knownLength; i++) {
      if (value.charAt(i) != (char) (known[i] & 0xff)) {
        return false;
      }
    }
    return true;
  }

  /** What was held for the source is the caller's from now on; null if that was a pin. */
  @Nullable TransitBuffer takeSource() {
    TransitBuffer read = source.takeRead();
    if (read == null) {
      lane.unpin(source.region());
    }
    return read;
  }
}
