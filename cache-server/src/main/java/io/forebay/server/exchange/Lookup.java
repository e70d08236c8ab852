package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NoVarySearch;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.FillHead;
import io.forebay.server.fill.VaryMarker;
import io.forebay.server.fill.history.FillKey;
import io.forebay.storage.object.StoredHead;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is stored for an exchange's request. The key it ends at is left in the exchange, its
 * text in the loop's key builder, and what is found in the loop's lane and meta.
 *
 * <p>Without state, so that a hit makes no object for it.
 */
final class Lookup extends LookupSteps<Exchange, RuntimeException> {
  private static final Lookup STEPS = new Lookup();

  private Lookup() {}

  static Found find(Exchange exchange) {
    return STEPS.lookUp(exchange);
  }

  // --- what the steps ask -----------------------------------------------------------------------

  @Override
  public RequestView request(Exchange exchange) {
    return exchange.request;
  }

  @Override
  public KeyRecipe recipe(Exchange exchange) {
    return exchange.route().keyRecipe();
  }

  @Override
  public KeyBuilder keys(Exchange exchange) {
    return exchange.loop.keys();
  }

  @Override
  public void onBase(Exchange exchange, @Nullable NoVarySearch rule) {
    take(exchange);
  }

  @Override
  public void onVariant(Exchange exchange) {
    take(exchange);
  }

  private static void take(Exchange exchange) {
    KeyBuilder keys = exchange.loop.keys();
    exchange.key(keys.hi(), keys.lo());
  }

  @Override
  public Found look(Exchange exchange) {
    ExchangeContext loop = exchange.loop;
    KeyBuilder keys = loop.keys();
    return switch (loop.lane().find(keys.hi(), keys.lo(), keys.text(), keys.textLength())) {
      case BUSY -> Found.BUSY;
      case ON_DISK -> Found.ON_DISK;
      case MISS -> Found.NOTHING;
      case HIT -> wrap(loop, loop.lane().head()) ? Found.OBJECT : Found.NOTHING;
    };
  }

  /** Reads the meta of a found head; gives its pin back when it is not one this version wrote. */
  private static boolean wrap(ExchangeContext loop, StoredHead head) {
    if (loop.meta().wrap(loop.store().region(head.region()), head.headOffset())) {
      return true;
    }
    loop.lane().unpin(head.region());
    return false;
  }

  @Override
  public StoredMeta meta(Exchange exchange) {
    return exchange.loop.meta();
  }

  @Override
  public MemorySegment memory(Exchange exchange) {
    return exchange.loop.store().region(exchange.loop.lane().head().region());
  }

  @Override
  public long headOffset(Exchange exchange) {
    return exchange.loop.lane().head().headOffset();
  }

  @Override
  public int headLength(Exchange exchange) {
    return exchange.loop.lane().head().headLength();
  }

  @Override
  public void release(Exchange exchange) {
    exchange.loop.lane().unpin(exchange.loop.lane().head().region());
  }

  @Override
  public Found moveToFront(Exchange exchange, List<String> names, long baseHi, long baseLo) {
    ExchangeContext loop = exchange.loop;
    StoredHead head = loop.lane().head();
    long birth = head.birth();
    long expires = head.expiresAtMillis();
    loop.lane().unpin(head.region());
    FillKey base = new FillKey(baseHi, baseLo);
    VaryMarker.enter(
        loop.filling(),
        VaryMarker.Place.of(loop.filling(), base, exchange.request, exchange.route().keyRecipe()),
        names,
        exchange.key(),
        birth,
        expires);
    return lookAtVariant(exchange);
  }

  // --- what else is asked of a request's key ----------------------------------------------------

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
      if (!STEPS.becomeBase(exchange, head.searchRule())
          || !exchange.key().equals(head.baseKey())
          || (!head.selectingFields().isEmpty()
              && !STEPS.becomeVariant(exchange, head.selectingFields()))) {
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
    ExchangeContext loop = exchange.loop;
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
