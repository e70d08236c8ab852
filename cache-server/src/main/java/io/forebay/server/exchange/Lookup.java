package io.forebay.server.exchange;

import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NoVarySearch;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.FillHead;
import io.forebay.server.fill.FillKey;
import io.forebay.server.fill.SearchRule;
import io.forebay.server.fill.VariantList;
import io.forebay.server.fill.VaryMarker;
import io.forebay.storage.StoredHead;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is stored for an exchange's request: by the base key, and where that holds a vary
 * marker by the variant's. The key it ends at is left in the exchange, its text in the loop's key
 * builder, and what is found in the loop's lane and meta.
 *
 * <p>Without state, so that a hit makes no object for it.
 */
final class Lookup {
  private Lookup() {}

  /** What a lookup ends with. */
  enum Found {
    /** An object; its head is pinned and its meta wrapped. */
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

  static Found find(Exchange exchange) {
    return exchange.route().keyRecipe().hasSearchRules()
        ? findByRule(exchange)
        : findUnder(exchange, null);
  }

  /**
   * Where responses for the path have said what of a query matters: by that, and else by the query
   * as it is. A miss ends at the former's key, as the next response will probably say the same.
   */
  private static Found findByRule(Exchange exchange) {
    LoopContext loop = exchange.loop;
    KeyBuilder keys = loop.keys();
    KeyRecipe recipe = exchange.route().keyRecipe();
    if (!buildBase(exchange, null)
        || !keys.buildSearchRule(TargetUri.of(exchange.request), recipe)) {
      return Found.KEY_TOO_LONG;
    }
    NoVarySearch rule = null;
    switch (loop.lane().find(keys.hi(), keys.lo(), keys.text(), keys.textLength())) {
      case BUSY -> {
        return Found.BUSY;
      }
      case ON_DISK -> {
        return Found.ON_DISK;
      }
      case MISS -> {}
      case HIT -> rule = SearchRule.ofFound(loop);
    }
    if (rule == null) {
      return findUnder(exchange, null);
    }
    Found found = findUnder(exchange, rule);
    if (found != Found.NOTHING && found != Found.OTHER_VARIANTS) {
      return found;
    }
    Found exact = findUnder(exchange, null);
    return exact == Found.NOTHING || exact == Found.OTHER_VARIANTS
        ? findUnder(exchange, rule)
        : exact;
  }

  private static Found findUnder(Exchange exchange, @Nullable NoVarySearch rule) {
    if (!buildBase(exchange, rule)) {
      return Found.KEY_TOO_LONG;
    }
    Found found = findKey(exchange, Found.NOTHING);
    StoredMeta meta = exchange.loop.meta();
    return found == Found.OBJECT && meta.isVaryMarker() ? findVariant(exchange, meta) : found;
  }

  private static boolean buildBase(Exchange exchange, @Nullable NoVarySearch rule) {
    KeyBuilder keys = exchange.loop.keys();
    if (!keys.build(exchange.request, exchange.route().keyRecipe(), rule)) {
      return false;
    }
    exchange.key(keys.hi(), keys.lo());
    return true;
  }

  /** Goes on from the marker that has been found. */
  private static Found findVariant(Exchange exchange, StoredMeta meta) {
    LoopContext loop = exchange.loop;
    StoredHead head = loop.lane().head();
    int region = head.region();
    List<String> names = meta.selectingFields();
    long baseHi = exchange.keyHi();
    long baseLo = exchange.keyLo();
    boolean isPossible = becomeVariant(exchange, names);
    MemorySegment memory = loop.store().region(region);
    long list = head.headOffset() + (long) meta.length();
    int listLength = head.headLength() - meta.length();
    boolean hasUnvaried = VariantList.hasUnvaried(memory, list, listLength);
    boolean isDueToMove =
        VariantList.isDueToMove(
            memory,
            list,
            listLength,
            exchange.keyHi(),
            exchange.keyLo(),
            exchange.route().keyRecipe().variants());
    loop.lane().unpin(region);
    if (!isPossible) {
      return Found.KEY_TOO_LONG;
    }
    Found found = findKey(exchange, Found.OTHER_VARIANTS);
    if (found == Found.OBJECT && isDueToMove) {
      found = moveToFront(exchange, names, new FillKey(baseHi, baseLo));
    }
    return hasUnvaried && (found == Found.OBJECT || found == Found.OTHER_VARIANTS)
        ? youngerOf(exchange, names, found)
        : found;
  }

  /** The variant just found is asked for while the list of variants is full of others. */
  private static Found moveToFront(Exchange exchange, List<String> names, FillKey base) {
    LoopContext loop = exchange.loop;
    StoredHead head = loop.lane().head();
    long birth = head.birth();
    long expires = head.expiresAtMillis();
    loop.lane().unpin(head.region());
    VaryMarker.enter(
        loop,
        VaryMarker.Place.of(loop, base, exchange.request, exchange.route().keyRecipe()),
        names,
        exchange.key(),
        birth,
        expires);
    return findKey(exchange, Found.OTHER_VARIANTS);
  }

  /**
   * Of the variant that a request selects and a response that does not vary both match it, and the
   * one of the later Date is to be used (RFC 9111 §4.1).
   *
   * @param variant OBJECT, pinned, or OTHER_VARIANTS when there is none
   */
  private static Found youngerOf(Exchange exchange, List<String> names, Found variant) {
    LoopContext loop = exchange.loop;
    long variantDate = Long.MIN_VALUE;
    if (variant == Found.OBJECT) {
      variantDate = loop.meta().dateMillis();
      loop.lane().unpin(loop.lane().head().region());
    }
    if (loop.keys().unvaried()) {
      exchange.key(loop.keys().hi(), loop.keys().lo());
      Found found = findKey(exchange, Found.OTHER_VARIANTS);
      if (found == Found.BUSY
          || found == Found.ON_DISK
          || (found == Found.OBJECT && loop.meta().dateMillis() >= variantDate)) {
        return found;
      }
      if (found == Found.OBJECT) {
        loop.lane().unpin(loop.lane().head().region());
      }
    }
    // Its text has been built before, so it is not too long.
    return becomeVariant(exchange, names)
        ? findKey(exchange, Found.OTHER_VARIANTS)
        : Found.KEY_TOO_LONG;
  }

  private static Found findKey(Exchange exchange, Found otherwise) {
    LoopContext loop = exchange.loop;
    var keys = loop.keys();
    return switch (loop.lane()
        .find(exchange.keyHi(), exchange.keyLo(), keys.text(), keys.textLength())) {
      case BUSY -> Found.BUSY;
      case ON_DISK -> Found.ON_DISK;
      case MISS -> otherwise;
      case HIT -> wrap(loop, loop.lane().head()) ? Found.OBJECT : otherwise;
    };
  }

  /** Reads the meta of a found head; gives its pin back when it is not one this version wrote. */
  private static boolean wrap(LoopContext loop, StoredHead head) {
    if (loop.meta().wrap(loop.store().region(head.region()), head.headOffset())) {
      return true;
    }
    loop.lane().unpin(head.region());
    return false;
  }

  /** Goes from the base key to the variant's; the builder holds the base key's text. */
  private static boolean becomeVariant(Exchange exchange, List<String> selectingFields) {
    var keys = exchange.loop.keys();
    if (!keys.variant(exchange.request, selectingFields)) {
      return false;
    }
    exchange.key(keys.hi(), keys.lo());
    return true;
  }

  /** Whether what a fill brings is for a request. */
  enum Match {
    YES,
    /** The request has another variant. */
    OTHER_VARIANT,
    /** The request has another base key. */
    OTHER_KEY
  }

  /**
   * Whether what a fill brings is for this request, too. The exchange's key is that of what it
   * brings afterwards, or else its own among responses like that.
   */
  static Match match(Exchange exchange, FillHead head) {
    boolean isOneKey = !exchange.route().keyRecipe().hasSearchRules();
    if (!isOneKey || !head.selectingFields().isEmpty()) {
      if (!buildBase(exchange, head.searchRule())
          || !exchange.key().equals(head.baseKey())
          || (!head.selectingFields().isEmpty()
              && !becomeVariant(exchange, head.selectingFields()))) {
        return Match.OTHER_KEY;
      }
      if (!head.selectingFields().isEmpty() && !exchange.key().equals(head.variantKey())) {
        return Match.OTHER_VARIANT;
      }
    }
    exchange.key(head.variantKey().hi(), head.variantKey().lo());
    return Match.YES;
  }

  /**
   * Whether something is stored by now that could be served: OBJECT, NOTHING, or BUSY when it can't
   * be told. The exchange's key stays, unless it is so.
   */
  static Found findServable(Exchange exchange) {
    LoopContext loop = exchange.loop;
    FillKey key = exchange.key();
    boolean isServable = false;
    Found found = find(exchange);
    if (found == Found.OBJECT) {
      StoredHead head = loop.lane().head();
      isServable =
          Decider.decide(
                  exchange.request,
                  exchange.route(),
                  loop.meta(),
                  head.softPurged(),
                  loop.nowMillis())
              instanceof Decision.Serve;
      loop.lane().unpin(head.region());
    }
    if (!isServable) {
      exchange.key(key.hi(), key.lo());
    }
    if (found == Found.BUSY) {
      return Found.BUSY;
    }
    return isServable ? Found.OBJECT : Found.NOTHING;
  }
}
