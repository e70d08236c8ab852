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
 * The steps by which what is stored for a request is found: by the base key, and where that holds a
 * vary marker by the variant's. Where it is looked for, and what looking leaves behind, is for the
 * subclasses: {@link Lookup} on the way to a response, {@code InspectionLookup} to tell people.
 *
 * <p>Without state of its own, so that one object can take them for all requests.
 *
 * @param <R> whose request it is
 * @param <E> with what looking may fail
 */
public abstract class LookupSteps<R, E extends Exception> {

  /** What a lookup ends with. */
  public enum Found {
    /** An object; it has not been let go, and its meta is wrapped. */
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

  public abstract RequestView request(R of);

  public abstract KeyRecipe recipe(R of);

  public abstract KeyBuilder keys(R of);

  /**
   * The base key has been built, and is the request's until a variant's is.
   *
   * @param rule by which it was reduced
   */
  public abstract void onBase(R of, @Nullable NoVarySearch rule);

  /** The key of a variant has been built, and is the request's. */
  public abstract void onVariant(R of);

  // --- what is stored ---------------------------------------------------------------------------

  /**
   * Looks at the key built last: OBJECT where there is something that this version wrote, until it
   * is let go; NOTHING, BUSY or ON_DISK.
   */
  public abstract Found look(R of) throws E;

  /** Of what was found. */
  public abstract StoredMeta meta(R of);

  /** Where the head of what was found lies. */
  public abstract MemorySegment memory(R of);

  /** At its meta. */
  public abstract long headOffset(R of);

  public abstract int headLength(R of);

  /** Gives back what was found. */
  public abstract void release(R of);

  /**
   * The variant just found is asked for while the list of variants is full of others.
   *
   * @param names those of its selecting fields
   * @return what is found there now
   */
  public abstract Found moveToFront(R of, List<String> names, long baseHi, long baseLo) throws E;

  // --- the steps --------------------------------------------------------------------------------

  public final Found lookUp(R of) throws E {
    return recipe(of).hasSearchRules() ? findByRule(of) : findUnder(of, null);
  }

  /**
   * Where responses for the path have said what of a query matters: by that, and else by the query
   * as it is. A miss ends at the former's key, as the next response will probably say the same.
   */
  private Found findByRule(R of) throws E {
    if (!becomeBase(of, null) || !keys(of).buildSearchRule(TargetUri.of(request(of)), recipe(of))) {
      return Found.KEY_TOO_LONG;
    }
    NoVarySearch rule = null;
    Found stands = look(of);
    if (stands == Found.OBJECT) {
      rule = NoVarySearchRule.of(meta(of));
      release(of);
    } else if (stands != Found.NOTHING) {
      return stands;
    }
    if (rule == null) {
      return findUnder(of, null);
    }
    Found found = findUnder(of, rule);
    if (!isMiss(found)) {
      return found;
    }
    Found exact = findUnder(of, null);
    return isMiss(exact) ? findUnder(of, rule) : exact;
  }

  private static boolean isMiss(Found found) {
    return found == Found.NOTHING || found == Found.OTHER_VARIANTS;
  }

  private Found findUnder(R of, @Nullable NoVarySearch rule) throws E {
    if (!becomeBase(of, rule)) {
      return Found.KEY_TOO_LONG;
    }
    Found found = look(of);
    return found == Found.OBJECT && meta(of).isVaryMarker() ? findVariant(of) : found;
  }

  /** Goes on from the marker that has been found. */
  private Found findVariant(R of) throws E {
    KeyBuilder keys = keys(of);
    List<String> names = meta(of).selectingFields();
    long baseHi = keys.hi();
    long baseLo = keys.lo();
    boolean isPossible = becomeVariant(of, names);
    MemorySegment memory = memory(of);
    long list = headOffset(of) + meta(of).length();
    int listLength = headLength(of) - meta(of).length();
    boolean hasUnvaried = VariantList.hasUnvaried(memory, list, listLength);
    boolean isDueToMove =
        VariantList.isDueToMove(
            memory, list, listLength, keys.hi(), keys.lo(), recipe(of).variants());
    release(of);
    if (!isPossible) {
      return Found.KEY_TOO_LONG;
    }
    Found found = lookAtVariant(of);
    if (found == Found.OBJECT && isDueToMove) {
      found = moveToFront(of, names, baseHi, baseLo);
    }
    return hasUnvaried && (found == Found.OBJECT || found == Found.OTHER_VARIANTS)
        ? youngerOf(of, names, found)
        : found;
  }

  /**
   * Of the variant that a request selects and a response that does not vary both match it, and the
   * one of the later Date is to be used (RFC 9111 §4.1).
   *
   * @param variant OBJECT, just found, or OTHER_VARIANTS when there is none
   */
  private Found youngerOf(R of, List<String> names, Found variant) throws E {
    long variantDate = Long.MIN_VALUE;
    if (variant == Found.OBJECT) {
      variantDate = meta(of).dateMillis();
      release(of);
    }
    if (keys(of).unvaried()) {
      onVariant(of);
      Found found = lookAtVariant(of);
      if (found == Found.BUSY
          || found == Found.ON_DISK
          || (found == Found.OBJECT && meta(of).dateMillis() >= variantDate)) {
        return found;
      }
      if (found == Found.OBJECT) {
        release(of);
      }
    }
    // Its text has been built before, so it is not too long.
    return becomeVariant(of, names) ? lookAtVariant(of) : Found.KEY_TOO_LONG;
  }

  /** Looks behind a marker. */
  final Found lookAtVariant(R of) throws E {
    Found found = look(of);
    return found == Found.NOTHING ? Found.OTHER_VARIANTS : found;
  }

  final boolean becomeBase(R of, @Nullable NoVarySearch rule) {
    if (!keys(of).build(request(of), recipe(of), rule)) {
      return false;
    }
    onBase(of, rule);
    return true;
  }

  /** Goes from the base key to the variant's; the builder holds the base key's text. */
  final boolean becomeVariant(R of, List<String> selectingFields) {
    if (!keys(of).variant(request(of), selectingFields)) {
      return false;
    }
    onVariant(of);
    return true;
  }
}
