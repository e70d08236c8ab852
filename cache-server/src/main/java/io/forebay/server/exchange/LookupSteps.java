package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NoVarySearch;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.NoVarySearchRule;
import io.forebay.server.fill.VariantList;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a lookup: by the base key, and if a vary marker is stored there, by the key of the
 * variant. Subclasses define where to look and the side effects: {@link Lookup} for responses,
 * {@code InspectionLookup} for explanations.
 *
 * <p>Without state of its own, so that one object can take them for all requests.
 *
 * @param <R> whose request it is
 * @param <E> with what looking may fail
 */
public abstract class LookupSteps<R, E extends Exception> {

  /** What a lookup ends with. */
  public enum Found {
    /** An object; it is still pinned, and its meta is wrapped. */
    OBJECT,
    NOTHING,
    /** Variants are stored, but not the one this request selects. */
    OTHER_VARIANTS,
    /** The index was busy: ask again in a moment. */
    BUSY,
    /** It is on a disk: it can be brought into memory, and then looked up again. */
    ON_DISK,
    KEY_TOO_LONG
  }

  // --- the request ------------------------------------------------------------------------------

  public abstract RequestView request(R request);

  public abstract KeyRecipe recipe(R request);

  public abstract KeyBuilder keys(R request);

  /**
   * The base key has been built, and is the request's until a variant's is.
   *
   * @param rule by which it was reduced
   */
  public abstract void onBase(R request, @Nullable NoVarySearch rule);

  /** The key of a variant has been built, and is the request's. */
  public abstract void onVariant(R request);

  // --- what is stored ---------------------------------------------------------------------------

  /**
   * Looks up the key built last: OBJECT, valid until it is unpinned, if this version wrote one;
   * else NOTHING, BUSY or ON_DISK.
   */
  public abstract Found look(R request) throws E;

  /** Of what was found. */
  public abstract StoredMeta meta(R request);

  /** Where the head of what was found lies. */
  public abstract MemorySegment memory(R request);

  /** At its meta. */
  public abstract long headOffset(R request);

  public abstract int headLength(R request);

  /** Gives back what was found. */
  public abstract void release(R request);

  /**
   * The variant just found is asked for while the list of variants is full of others.
   *
   * @param names those of its selecting fields
   * @return what is found there now
   */
  public abstract Found moveToFront(R request, List<String> names, long baseHi, long baseLo)
      throws E;

  // --- the steps --------------------------------------------------------------------------------

  public final Found lookUp(R request) throws E {
    return recipe(request).hasSearchRules() ? findByRule(request) : findUnder(request, null);
  }

  /**
   * Where responses for the path have said what of a query matters: by that, and else by the query
   * as it is. A miss ends at the former's key, as the next response will probably say the same.
   */
  private Found findByRule(R request) throws E {
    if (!becomeBase(request, null)
        || !keys(request).buildSearchRule(TargetUri.of(request(request)), recipe(request))) {
      return Found.KEY_TOO_LONG;
    }
    NoVarySearch rule = null;
    Found stands = look(request);
    if (stands == Found.OBJECT) {
      rule = NoVarySearchRule.of(meta(request));
      release(request);
    } else if (stands != Found.NOTHING) {
      return stands;
    }
    if (rule == null) {
      return findUnder(request, null);
    }
    Found found = findUnder(request, rule);
    if (!isMiss(found)) {
      return found;
    }
    Found exact = findUnder(request, null);
    return isMiss(exact) ? findUnder(request, rule) : exact;
  }

  private static boolean isMiss(Found found) {
    return found == Found.NOTHING || found == Found.OTHER_VARIANTS;
  }

  private Found findUnder(R request, @Nullable NoVarySearch rule) throws E {
    return becomeBase(request, rule) ? findBase(request) : Found.KEY_TOO_LONG;
  }

  /** As {@link #lookUp}; the request's base key is in the builder, and no rule reduces it. */
  final Found findBase(R request) throws E {
    Found found = look(request);
    return found == Found.OBJECT && meta(request).isVaryMarker() ? findVariant(request) : found;
  }

  /** Goes on from the marker that has been found. */
  private Found findVariant(R request) throws E {
    KeyBuilder keys = keys(request);
    List<String> names = meta(request).selectingFields();
    long baseHi = keys.hi();
    long baseLo = keys.lo();
    boolean isPossible = becomeVariant(request, names);
    MemorySegment memory = memory(request);
    long list = headOffset(request) + meta(request).length();
    int listLength = headLength(request) - meta(request).length();
    boolean hasUnvaried = VariantList.hasUnvaried(memory, list, listLength);
    boolean isDueToMove =
        VariantList.isDueToMove(
            memory, list, listLength, keys.hi(), keys.lo(), recipe(request).variants());
    release(request);
    if (!isPossible) {
      return Found.KEY_TOO_LONG;
    }
    Found found = lookAtVariant(request);
    if (found == Found.OBJECT && isDueToMove) {
      found = moveToFront(request, names, baseHi, baseLo);
    }
    return hasUnvaried && (found == Found.OBJECT || found == Found.OTHER_VARIANTS)
        ? youngerOf(request, names, found)
        : found;
  }

  /**
   * Of the variant that a request selects and a response that does not vary both match it, and the
   * one of the later Date is to be used (RFC 9111 §4.1).
   *
   * @param variant OBJECT, just found, or OTHER_VARIANTS when there is none
   */
  private Found youngerOf(R request, List<String> names, Found variant) throws E {
    long variantDate = Long.MIN_VALUE;
    if (variant == Found.OBJECT) {
      variantDate = meta(request).dateMillis();
      release(request);
    }
    if (keys(request).unvaried()) {
      onVariant(request);
      Found found = lookAtVariant(request);
      if (found == Found.BUSY
          || found == Found.ON_DISK
          || (found == Found.OBJECT && meta(request).dateMillis() >= variantDate)) {
        return found;
      }
      if (found == Found.OBJECT) {
        release(request);
      }
    }
    // Its text has been built before, so it is not too long.
    return becomeVariant(request, names) ? lookAtVariant(request) : Found.KEY_TOO_LONG;
  }

  /** Looks behind a marker. */
  final Found lookAtVariant(R request) throws E {
    Found found = look(request);
    return found == Found.NOTHING ? Found.OTHER_VARIANTS : found;
  }

  final boolean becomeBase(R request, @Nullable NoVarySearch rule) {
    if (!keys(request).build(request(request), recipe(request), rule)) {
      return false;
    }
    onBase(request, rule);
    return true;
  }

  /** Goes from the base key to the variant's; the builder holds the base key's text. */
  final boolean becomeVariant(R request, List<String> selectingFields) {
    if (!keys(request).variant(request(request), selectingFields)) {
      return false;
    }
    onVariant(request);
    return true;
  }
}
