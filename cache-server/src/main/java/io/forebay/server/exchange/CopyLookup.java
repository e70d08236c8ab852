package io.forebay.server.exchange;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.Latin1Text;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.WireRequest;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.compress.CodingLevels;
import io.forebay.server.compress.CodingWeights;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.DictionarySettings;
import io.forebay.server.compress.copy.CopyForm;
import io.forebay.server.compress.copy.CopyKeys;
import io.forebay.server.compress.copy.CopyMaker;
import io.forebay.server.compress.copy.Representation;
import io.forebay.server.compress.copy.StoredDictionary;
import io.forebay.server.compress.dictionary.DeltaChoice;
import io.forebay.server.compress.dictionary.Dictionaries;
import io.forebay.server.fill.FillContext;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.transit.TransitBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
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
  private final Dictionaries dictionaries;
  private final StoreLane lane;
  private final KeyBuilder keys;
  private final StoredMeta meta;
  private final StoredHead source = new StoredHead();
  private final Latin1Text text = new Latin1Text();

  // The last Accept-Encoding in the fast lane, and its weights: most clients send the same.
  private final byte[] lastAccepted = new byte[MAX_KNOWN];
  private int acceptedLength;
  private long knownWeights = CodingWeights.NONE;

  // What the route of the last request in the fast lane compresses.
  private @Nullable RuntimeConfig lastConfig;
  private @Nullable Route lastRoute;
  private CompressionSettings lastSettings = CompressionSettings.OFF;

  // What was chosen last in the fast lane, and of what.
  private @Nullable CompressionSettings chosenBy;
  private long chosenOf = CodingWeights.NONE;
  private @Nullable ContentCoding chosen;

  // The copy that was found last.
  private @Nullable ContentCoding coding;
  private @Nullable String token;
  private boolean isDelta;
  private boolean isMissing;
  private long copyHi;
  private long copyLo;
  private long copyObjectId;

  CopyLookup(FillContext loop, CopyMaker maker, Dictionaries dictionaries) {
    this.dictionaries = dictionaries;
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

  /** The same as in Content-Encoding, also of a delta; for an exchange. */
  @Nullable String token() {
    return token;
  }

  /** Whether it is a delta; for an exchange. */
  boolean isDelta() {
    return isDelta;
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
    Representation chosen = Representation.of(request.view(), meta, settings);
    if (settings.dictionary() != null) {
      Found delta = findDelta(request, settings, chosen);
      if (delta != Found.SOURCE) {
        return delta;
      }
    }
    return switch (chosen) {
      case Representation.Identity(), Representation.Confirmed(String _) -> Found.SOURCE;
      case Representation.Coded(ContentCoding coding) -> find(request, coding, settings.copies());
    };
  }

  private Found find(ClientRequest request, ContentCoding wanted, CodingLevels levels) {
    if (maker.isRefused(source, wanted, levels, loop.nowMillis())) {
      return Found.SOURCE;
    }
    coding = wanted;
    Found found = find(request, CopyKeys.form(wanted, levels));
    token = wanted.token();
    isDelta = false;
    if (isMissing) {
      maker.ask(source, meta, wanted, levels, FillStarter.storageClass(loop, request));
    }
    return found;
  }

  /** SOURCE where there is none, or the request is not to get one. */
  private Found findDelta(
      ClientRequest request, CompressionSettings settings, Representation chosen) {
    DictionarySettings offered = settings.dictionary();
    RequestView view = request.view();
    Route route = request.route();
    if (offered == null || !view.scheme().equals("https")) {
      return Found.SOURCE;
    }
    dictionaries.learn(view, route, offered, source, meta, loop.storageClass(route));
    DeltaChoice choice =
        DeltaChoice.of(view, settings, chosen, source.totalLength(), this::fieldsOfSource);
    StoredDictionary dictionary =
        choice == null ? null : dictionaries.find(view, route, choice.sha256());
    if (choice == null || dictionary == null) {
      return Found.SOURCE;
    }
    int level = settings.copies().of(choice.coding().encoder());
    CopyForm form = CopyForm.of(choice.coding(), level, choice.sha256());
    if (maker.isRefused(source, form, loop.nowMillis())) {
      return Found.SOURCE;
    }
    Found found = find(request, form);
    token = choice.coding().token();
    isDelta = true;
    if (isMissing) {
      long best = bestLength(settings, choice.plain());
      if (best >= 0) {
        int copyClass = FillStarter.storageClass(loop, request);
        maker.ask(source, meta, choice.coding(), level, dictionary, best, copyClass);
      }
    }
    return found;
  }

  private FieldsView fieldsOfSource() {
    byte[] lines = new byte[source.headLength() - meta.length()];
    MemorySegment.copy(
        loop.store().bytes(source),
        ValueLayout.JAVA_BYTE,
        source.headOffset() + (long) meta.length(),
        lines,
        0,
        lines.length);
    return StoredHeader.decode(lines);
  }

  /** Length of the body that a client gets without a dictionary; -1 while it is not known. */
  private long bestLength(CompressionSettings settings, @Nullable ContentCoding plain) {
    if (plain == null || maker.isRefused(source, plain, settings.copies(), loop.nowMillis())) {
      return source.totalLength();
    }
    long length = -1;
    if (CopyKeys.build(keys, plain, settings.copies())
        && lane.find(keys.hi(), keys.lo(), keys.text(), keys.textLength()) == StoreLane.Found.HIT
        && isOfSource(lane.head())) {
      length = lane.head().totalLength();
      lane.unpin(lane.head());
    }
    wrapSource();
    keys.uncoded();
    return length;
  }

  /** Whether there is no such copy yet, {@code isMissing} says. */
  private Found find(ClientRequest request, CopyForm wanted) {
    isMissing = false;
    if (!CopyKeys.build(keys, wanted)) {
      keys.uncoded();
      return Found.SOURCE;
    }
    StoreLane.Found found = look(request);
    if (found == StoreLane.Found.HIT && isOfSource(lane.head())) {
      if (meta.sourceBirth() == source.birth()) {
        return served();
      }
      found = rewritten(wanted, FillStarter.storageClass(loop, request));
      if (found == StoreLane.Found.HIT) {
        return served();
      }
    }
    wrapSource();
    keys.uncoded();
    if (found == StoreLane.Found.ON_DISK) {
      return Found.ON_DISK;
    }
    isMissing = found != StoreLane.Found.BUSY;
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
  private StoreLane.Found rewritten(CopyForm wanted, int storageClass) {
    long objectId = lane.head().objectId();
    String etag = meta.etag();
    lane.unpin(lane.head());
    wrapSource();
    keys.uncoded();
    InstallOutcome outcome = maker.rewrite(source, meta, objectId, etag, wanted, storageClass);
    if (!CopyKeys.build(keys, wanted)) {
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

  /** A response that was fetched is to be found as a dictionary from now on, if it was stored. */
  void learnStored(RequestView question, Route route, DictionarySettings settings) {
    if (!keys.build(question, route.keyRecipe()) || !isFound()) {
      return;
    }
    if (meta.isVaryMarker()) {
      List<String> selecting = meta.selectingFields();
      lane.unpin(lane.head());
      if (!keys.variant(question, selecting) || !isFound()) {
        return;
      }
    }
    StoredHead head = lane.head();
    dictionaries.learn(question, route, settings, head, meta, loop.storageClass(route));
    lane.unpin(head);
  }

  private boolean isFound() {
    if (lane.find(keys.hi(), keys.lo(), keys.text(), keys.textLength()) != StoreLane.Found.HIT) {
      return false;
    }
    StoredHead head = lane.head();
    boolean isThere = meta.wrap(loop.store().bytes(head), head.headOffset());
    if (!isThere) {
      lane.unpin(head);
    }
    return isThere;
  }

  // --- for the fast lane ------------------------------------------------------------------------

  /**
   * Looks for a copy that {@link #findNear} has served of the response whose key was built last, by
   * that key alone. Allocates nothing.
   *
   * @return true where the lane's head and the meta are those of the copy: status, times and
   *     directives are those of its source, and the source is stored and not soft. False where the
   *     response has to be looked up; nothing is held then.
   */
  boolean findLinked(RuntimeConfig config, Route route, WireRequest request) {
    if (!request.has(KnownField.ACCEPT_ENCODING) || !lane.hasNearCopies(keys.hi(), keys.lo())) {
      return false;
    }
    CompressionSettings settings = settings(config, route);
    if (!settings.isOn() || offersDictionary(settings, request) || mayForbidTransform(request)) {
      return false;
    }
    ContentCoding wanted = choose(settings, request);
    if (wanted == null) {
      return false;
    }
    CopyForm form = CopyKeys.form(wanted, settings.copies());
    if (!lane.findNearCopy(
        keys.hi(),
        keys.lo(),
        form.link(settings),
        keys.text(),
        keys.textLength(),
        form.keySuffixLength())) {
      return false;
    }
    StoredHead copy = lane.head();
    if (!meta.wrap(loop.store().region(copy.region()), copy.headOffset())) {
      lane.unpin(copy.region());
      return false;
    }
    coding = wanted;
    return true;
  }

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
    CompressionSettings settings = settings(config, route);
    if (!CopyMaker.mayHaveCopies(settings, meta, found.totalLength())) {
      return Found.SOURCE;
    }
    if (offersDictionary(settings, request)) {
      lane.unpin(found.region());
      return Found.AGAIN;
    }
    ContentCoding wanted = choose(settings, request);
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
    long hi = keys.hi();
    long lo = keys.lo();
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
      long link = CopyKeys.form(wanted, settings.copies()).link(settings);
      lane.linkNearCopy(hi, lo, link, keys.hi(), keys.lo());
      return Found.COPY;
    }
    lane.unpin(copy.region());
    return Found.AGAIN;
  }

  @SuppressWarnings("ReferenceEquality") // of equal ones, the answer would be the same
  private CompressionSettings settings(RuntimeConfig config, Route route) {
    if (config != lastConfig || route != lastRoute) {
      lastSettings = config.compression(route);
      lastConfig = config;
      lastRoute = route;
    }
    return lastSettings;
  }

  /** Whether a delta may be what the client gets, which an exchange looks for. */
  private boolean offersDictionary(CompressionSettings settings, WireRequest request) {
    return settings.dictionary() != null && request.field("available-dictionary", text);
  }

  /**
   * As {@link CompressionSettings#choose}, which is asked only where the last answer is another's.
   */
  @SuppressWarnings("ReferenceEquality") // equal ones choose the same, but it takes long to tell
  private @Nullable ContentCoding choose(CompressionSettings settings, WireRequest request) {
    long weights = weights(request);
    if (settings != chosenBy || weights != chosenOf) {
      chosen = settings.choose(weights);
      chosenBy = settings;
      chosenOf = weights;
    }
    return chosen;
  }

  /** Whether Cache-Control is long enough for {@code no-transform}: an exchange reads it. */
  private boolean mayForbidTransform(WireRequest request) {
    return request.has(KnownField.CACHE_CONTROL)
        && request.field("cache-control", text)
        && text.length() >= NO_TRANSFORM_LENGTH;
  }

  /** Of a field that is what it was last time, what it came to then. */
  private long weights(WireRequest request) {
    int next = request.nextAcceptEncoding(WireRequest.FIRST_FIELD, text);
    if (next < 0) {
      return CodingWeights.NONE;
    }
    if (!isKnown(text)) {
      knownWeights = CodingWeights.add(CodingWeights.NONE, text);
      acceptedLength = Math.min(text.length(), lastAccepted.length + 1);
      text.copyTo(lastAccepted, 0, 0, Math.min(text.length(), lastAccepted.length));
    }
    long weights = knownWeights;
    while ((next = request.nextAcceptEncoding(next, text)) >= 0) {
      weights = CodingWeights.add(weights, text);
    }
    return weights;
  }

  private boolean isKnown(Latin1Text value) {
    // A longer value than can be kept is never known.
    return acceptedLength <= lastAccepted.length && value.isText(lastAccepted, acceptedLength);
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
