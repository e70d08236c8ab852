package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.Sharing;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.exchange.LoopContext;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What a fill leaves in the history of its key, for the requests after it.
 *
 * <p>Owner: the fill's loop.
 */
final class FillLessons {

  private final LoopContext loop;
  private final FillOrder order;
  private final long birth;

  FillLessons(LoopContext loop, FillOrder order, long birth) {
    this.loop = loop;
    this.order = order;
    this.birth = birth;
  }

  /** It is being stored: what can't be used without being validated keeps nobody waiting. */
  void storable(NewHead.Made made) {
    StoredMeta stored = loop.meta();
    if (stored.wrap(MemorySegment.ofArray(made.head().meta()), 0) && Sharing.isNeverFresh(stored)) {
      remember(order.key(), HitForMiss.Kind.NEVER_FRESH);
    } else {
      loop.history().hitForMiss().forget(order.key(), order.request());
    }
  }

  /** It may not be stored; {@code fields} are those that the origin has sent. */
  void unstorable(Reason why, int status, HeaderFields fields) {
    inVain();
    if (why != Reason.NOT_STORED_NO_ROOM && status < 500) {
      remember(uncacheableKey(why, fields), HitForMiss.Kind.UNCACHEABLE);
    }
  }

  /** What is stored under its key is fresh again. */
  void ofUse() {
    loop.history().refreshes().ofUse(order.key());
  }

  /**
   * It has brought nothing. A refresh in the background would be begun anew by the next hit, and so
   * by every one: the next one waits.
   */
  void inVain() {
    if (order.isBackground()) {
      loop.history().refreshes().inVain(order.key(), order.request(), loop.nowMillis());
    }
  }

  private void remember(FillKey key, HitForMiss.Kind kind) {
    loop.history()
        .hitForMiss()
        .remember(
            key,
            order.request(),
            loop.nowMillis(),
            order.route().sharing().hitForMiss().toMillis(),
            kind);
  }

  /**
   * The key whose requests need not queue. What does not fit this class of encodings may fit
   * others: with a marker that says so each class has a key of its own.
   */
  private FillKey uncacheableKey(Reason why, HeaderFields fields) {
    var keys = loop.keys();
    if (why != Reason.NOT_STORED_ENCODING || !NewHead.buildBase(loop, order, fields)) {
      return order.key();
    }
    FillKey base = new FillKey(keys.hi(), keys.lo());
    List<String> names =
        VaryMarker.union(
            VaryMarker.read(loop), NewHead.BY_ENCODING, order.route().keyRecipe().fields());
    if (!keys.variant(order.request(), names)) {
      return order.key();
    }
    FillKey variant = new FillKey(keys.hi(), keys.lo());
    VaryMarker.enter(
        loop,
        VaryMarker.Place.of(loop, base, order.request(), order.route().keyRecipe()),
        names,
        null,
        birth,
        loop.nowMillis() + order.route().sharing().hitForMiss().toMillis());
    return variant;
  }
}
