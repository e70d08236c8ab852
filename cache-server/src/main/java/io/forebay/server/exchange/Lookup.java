package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NoVarySearch;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.FillHead;
import io.forebay.server.fill.FillRequest;
import io.forebay.server.fill.VaryMarker;
import io.forebay.server.fill.history.FillKey;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.transit.TransitBuffer;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the stored response for a request. The final key is left in the request, its text in the
 * loop's key builder, and the result in the loop's lane and meta.
 *
 * <p>One per loop, without state, so that a hit makes no object for it.
 */
final class Lookup extends LookupSteps<ClientRequest, RuntimeException> {
  private final FillContext loop;

  Lookup(FillContext loop) {
    this.loop = loop;
  }

  Found find(ClientRequest request) {
    return lookUp(request);
  }

  // --- what the steps ask -----------------------------------------------------------------------

  @Override
  public RequestView request(ClientRequest exchange) {
    return exchange.view();
  }

  @Override
  public KeyRecipe recipe(ClientRequest exchange) {
    return exchange.route().keyRecipe();
  }

  @Override
  public KeyBuilder keys(ClientRequest exchange) {
    return loop.keys();
  }

  @Override
  public void onBase(ClientRequest exchange, @Nullable NoVarySearch rule) {
    take(exchange);
    exchange.hasBaseKey(true);
  }

  @Override
  public void onVariant(ClientRequest exchange) {
    take(exchange);
    exchange.hasBaseKey(false);
  }

  private void take(ClientRequest exchange) {
    KeyBuilder keys = loop.keys();
    exchange.key(keys.hi(), keys.lo());
  }

  @Override
  public Found look(ClientRequest exchange) {
    KeyBuilder keys = loop.keys();
    long installs = loop.lane().installCount(keys.lo());
    exchange.absentAt(StoreLane.UNKNOWN);
    return switch (loop.lane().find(keys.hi(), keys.lo(), keys.text(), keys.textLength())) {
      case BUSY -> Found.BUSY;
      case ON_DISK -> lookAtRead(exchange);
      case MISS -> {
        exchange.absentAt(installs);
        yield Found.NOTHING;
      }
      case HIT -> wrap(loop.lane().head()) ? Found.OBJECT : Found.NOTHING;
    };
  }

  /** Goes on in what was read for the request, or in what page cache has of the record. */
  private Found lookAtRead(ClientRequest request) {
    TransitBuffer known = request.headRead();
    TransitBuffer read = known == null ? loop.lane().readCached() : known;
    if (read == null) {
      return Found.ON_DISK;
    }
    KeyBuilder keys = loop.keys();
    try {
      return switch (loop.lane().findRead(read, keys.text(), keys.textLength())) {
        case BUSY -> Found.BUSY;
        case ON_DISK -> Found.ON_DISK;
        case MISS -> Found.NOTHING;
        case HIT -> wrap(loop.lane().head()) ? Found.OBJECT : Found.NOTHING;
      };
    } finally {
      if (known == null) {
        read.release();
      }
    }
  }

  /** Reads the meta of a found head; gives its pin back when it is not one this version wrote. */
  private boolean wrap(StoredHead head) {
    if (loop.meta().wrap(loop.store().bytes(head), head.headOffset())) {
      if (head.mustValidate()) {
        loop.meta().requireValidation();
      }
      return true;
    }
    loop.lane().unpin(head);
    return false;
  }

  @Override
  public StoredMeta meta(ClientRequest exchange) {
    return loop.meta();
  }

  @Override
  public MemorySegment memory(ClientRequest exchange) {
    return loop.store().bytes(loop.lane().head());
  }

  @Override
  public long headOffset(ClientRequest exchange) {
    return loop.lane().head().headOffset();
  }

  @Override
  public int headLength(ClientRequest exchange) {
    return loop.lane().head().headLength();
  }

  @Override
  public void release(ClientRequest exchange) {
    loop.lane().unpin(loop.lane().head());
  }

  @Override
  public Found moveToFront(ClientRequest exchange, List<String> names, long baseHi, long baseLo) {
    StoredHead head = loop.lane().head();
    long birth = head.birth();
    long expires = head.expiresAtMillis();
    loop.lane().unpin(head);
    FillKey base = new FillKey(baseHi, baseLo);
    VaryMarker.enter(
        loop,
        VaryMarker.Place.of(loop, base, exchange.view(), exchange.route()),
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
   * Whether what a fill brings is for this request, too. The request's key is that of what it
   * brings afterwards, or else its own among responses like that.
   */
  Match match(ClientRequest request, FillHead head) {
    boolean isOneKey = !request.route().keyRecipe().hasSearchRules();
    if (!isOneKey || !head.selectingFields().isEmpty()) {
      if (!becomeBase(request, head.searchRule())
          || !request.key().equals(head.baseKey())
          || (!head.selectingFields().isEmpty()
              && !becomeVariant(request, head.selectingFields()))) {
        return Match.OTHER_KEY;
      }
      if (!head.selectingFields().isEmpty() && !request.key().equals(head.variantKey())) {
        return Match.OTHER_VARIANT;
      }
    }
    request.key(head.variantKey().hi(), head.variantKey().lo());
    request.hasBaseKey(false);
    return Match.YES;
  }

  /**
   * Whether something is stored by now that could be served: OBJECT, NOTHING, or BUSY when it can't
   * be told. The request's key stays, unless it is so.
   */
  Found findServable(ClientRequest request) {
    if (isBuilt(request) && FillRequest.isStillAbsent(loop, request.key(), request.absentAt())) {
      return Found.NOTHING;
    }
    FillKey key = request.key();
    boolean isBase = request.hasBaseKey();
    boolean isServable = false;
    Found found = isBuilt(request) ? findBase(request) : find(request);
    if (found == Found.OBJECT) {
      StoredHead head = loop.lane().head();
      isServable =
          Decider.decide(
                  request.view(), request.route(), loop.meta(), head.softPurged(), loop.nowMillis())
              instanceof Decision.Serve;
      loop.lane().unpin(head);
    }
    if (!isServable) {
      request.key(key.hi(), key.lo());
      request.hasBaseKey(isBase);
    }
    if (found == Found.BUSY) {
      return Found.BUSY;
    }
    return isServable ? Found.OBJECT : Found.NOTHING;
  }

  /** Whether the builder still has the text of the request's base key, which is its key. */
  private boolean isBuilt(ClientRequest request) {
    KeyBuilder keys = loop.keys();
    return request.hasBaseKey()
        && !request.route().keyRecipe().hasSearchRules()
        && keys.hi() == request.keyHi()
        && keys.lo() == request.keyLo();
  }
}
