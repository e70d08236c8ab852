package io.forebay.server.exchange;

import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.StoredMeta;
import io.forebay.storage.StoredHead;
import java.util.List;

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
    LoopContext loop = exchange.loop;
    if (!loop.keys().build(exchange.request, exchange.route().keyRecipe())) {
      return Found.KEY_TOO_LONG;
    }
    exchange.key(loop.keys().hi(), loop.keys().lo());
    Found found = findKey(exchange, Found.NOTHING);
    StoredMeta meta = loop.meta();
    if (found != Found.OBJECT || !meta.isVaryMarker()) {
      return found;
    }
    List<String> selectingFields = meta.selectingFields();
    loop.lane().unpin(loop.lane().head().region());
    return becomeVariant(exchange, selectingFields)
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

  /**
   * Goes to the key that the request has among variants told apart by these fields; false when it
   * can have none.
   */
  static boolean selectVariant(Exchange exchange, List<String> selectingFields) {
    return exchange.loop.keys().build(exchange.request, exchange.route().keyRecipe())
        && becomeVariant(exchange, selectingFields);
  }

  /** Whether something is stored under the exchange's key by now that it could be served. */
  static boolean isServable(Exchange exchange) {
    LoopContext loop = exchange.loop;
    if (findKey(exchange, Found.NOTHING) != Found.OBJECT) {
      return false;
    }
    StoredMeta meta = loop.meta();
    StoredHead head = loop.lane().head();
    boolean isServable =
        meta.isVaryMarker()
            || Decider.decide(
                    exchange.request, exchange.route(), meta, head.softPurged(), loop.nowMillis())
                instanceof Decision.Serve;
    loop.lane().unpin(head.region());
    return isServable;
  }
}
