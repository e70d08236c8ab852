package io.forebay.server.compress.dictionary;

import io.forebay.core.http.RequestView;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.compress.CodingStream;
import io.forebay.server.compress.Compressors;
import io.forebay.server.compress.DictionarySettings;
import io.forebay.server.compress.copy.CopyForm;
import io.forebay.server.compress.copy.CopyRegistry;
import io.forebay.server.compress.copy.SourceReader;
import io.forebay.server.compress.copy.StoredDictionary;
import io.forebay.server.fill.FillContext;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.StoredHead;
import io.netty.util.concurrent.EventExecutor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Finds the dictionaries that clients name, and learns the hashes of stored responses that are to
 * be some. It uses the lane of the loop, so what that has found last is another head afterwards; it
 * leaves the key builder and the meta of the loop alone.
 *
 * <p>Owner: the loop.
 */
public final class Dictionaries {
  private static final String NAME = "dictionary-";

  /** A hash in base64, and its place until it is known. */
  private static final String NO_HASH = "A".repeat(43);

  /** After that time a response that is still there is learned again: its marker may be gone. */
  private static final int LEARNED_MINUTES = 60;

  private static final int FAILED_MINUTES = 1;

  private final FillContext loop;
  private final EventExecutor executor;
  private final Compressors compressors;
  private final CopyRegistry registry;
  private final KeyBuilder keys;
  private final StoredMeta meta = new StoredMeta();

  /**
   * Those of one loop.
   *
   * @param executor the loop, where codings answer
   */
  public Dictionaries(
      FillContext loop, EventExecutor executor, Compressors compressors, CopyRegistry registry) {
    this.loop = loop;
    this.executor = executor;
    this.compressors = compressors;
    this.registry = registry;
    this.keys = new KeyBuilder(loop.store().secret());
  }

  /**
   * The stored response of the request's origin, and of its route, that has a hash; null where
   * there is none in memory. One that is on a disk is brought into memory for the next request.
   */
  public @Nullable StoredDictionary find(RequestView request, Route route, byte[] sha256) {
    if (!build(request, route, base64(sha256)) || !isInMemory()) {
      return null;
    }
    StoredHead marker = loop.lane().head();
    byte[] key = null;
    long objectId = 0;
    ByteBuffer body = SourceReader.inline(loop, marker);
    if (body != null
        && meta.wrap(loop.store().bytes(marker), marker.headOffset())
        && meta.isCodedCopy()) {
      objectId = meta.sourceObjectId();
      key = new byte[body.remaining()];
      body.get(key);
    }
    loop.lane().unpin(marker);
    if (key == null || !keys.take(key) || !isInMemory()) {
      return null;
    }
    StoredHead dictionary = loop.lane().head();
    boolean isIt = dictionary.objectId() == objectId && dictionary.region() >= 0;
    loop.lane().unpin(dictionary);
    return isIt ? new StoredDictionary(sha256, keys.hi(), keys.lo(), key, objectId) : null;
  }

  /** Builds the key of a marker. */
  private boolean build(RequestView request, Route route, String hash) {
    return keys.build(request, route.keyRecipe())
        && keys.ofOrigin(
            request.scheme(), request.authority(), ascii(NAME + route.name() + "-" + hash));
  }

  /** Whether what the key builder names is in memory: then its head is found, and pinned. */
  private boolean isInMemory() {
    StoreLane lane = loop.lane();
    return switch (lane.find(keys.hi(), keys.lo(), keys.text(), keys.textLength())) {
      case HIT -> true;
      case ON_DISK -> {
        boolean ignored = lane.load(() -> {});
        yield false;
      }
      case MISS, BUSY -> false;
    };
  }

  /**
   * Has the hash of a stored response computed in the background, if it is to be a dictionary and
   * that was not done lately.
   *
   * @param source held by the caller; its key is in the loop's key builder
   * @param sourceMeta of the source
   */
  public void learn(
      RequestView request,
      Route route,
      DictionarySettings settings,
      StoredHead source,
      StoredMeta sourceMeta,
      int storageClass) {
    long number = CopyForm.numberOfDictionary(source.objectId());
    boolean isCandidate =
        source.region() >= 0
            && sourceMeta.isCompressible()
            && source.totalLength() > 0
            && source.totalLength() <= settings.maxBytes()
            && !registry.isRefused(number, loop.nowMillis());
    if (!isCandidate) {
      return;
    }
    if (!isOffered(settings, source, sourceMeta)) {
      registry.refuse(number, loop.nowMillis(), LEARNED_MINUTES);
      return;
    }
    if (!build(request, route, NO_HASH) || !registry.begin(number)) {
      return;
    }
    KeyBuilder of = loop.keys();
    HeadSpec.Copied copied =
        new HeadSpec.Copied(of.hi(), of.lo(), source.objectId(), source.bodyBirth());
    DictionaryHashJob job =
        new DictionaryHashJob(
            loop,
            source,
            new DictionaryHashJob.Marker(
                Arrays.copyOf(keys.text(), keys.textLength()),
                sourceMeta.codedCopy(null, source.objectId(), source.birth()),
                Arrays.copyOf(of.text(), of.textLength()),
                loop.lane().scopes(source),
                source.expiresAtMillis(),
                copied,
                storageClass),
            this::keyOf,
            isLearned -> {
              registry.end(number);
              registry.refuse(
                  number, loop.nowMillis(), isLearned ? LEARNED_MINUTES : FAILED_MINUTES);
              loop.counters().deltas.dictionaries += isLearned ? 1 : 0;
            });
    CodingStream stream = compressors.openDigest(executor, job);
    if (stream == null) {
      registry.end(number);
    } else {
      job.start(stream, SourceReader.inline(loop, source));
    }
  }

  private boolean isOffered(DictionarySettings settings, StoredHead source, StoredMeta sourceMeta) {
    String own =
        UseAsDictionary.value(
            loop.store().bytes(source),
            source.headOffset() + (long) sourceMeta.length(),
            source.headLength() - sourceMeta.length());
    return own == null ? settings.match() != null : UseAsDictionary.isRaw(own);
  }

  /** Puts the hash into the key of a marker; null if there is no such key. */
  private @Nullable KeyBuilder keyOf(byte[] keyText, byte[] sha256) {
    byte[] hash = ascii(base64(sha256));
    System.arraycopy(hash, 0, keyText, keyText.length - hash.length, hash.length);
    return keys.take(keyText) ? keys : null;
  }

  static String base64(byte[] sha256) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(sha256);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
