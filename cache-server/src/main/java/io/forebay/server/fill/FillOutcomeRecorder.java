package io.forebay.server.fill;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.Sharing;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.history.Backoff;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.fill.history.HitForMiss;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records the outcome of a fill in the history of its key, for later requests.
 *
 * <p>Owner: the fill's loop.
 */
final class FillOutcomeRecorder {

  private final FillContext loop;
  private final FillRequest order;
  private final long birth;

  FillOutcomeRecorder(FillContext loop, FillRequest order, long birth) {
    this.loop = loop;
    this.order = order;
    this.birth = birth;
  }

  /**
   * Whether storing it is of no use, as far as can be told: it takes the place of what the origin
   * did not confirm and would have to be confirmed itself, and that has gone on for a while. What
   * conditions or ranges the client asks for are answered from what is stored, so then it is.
   */
  boolean isStoringWasted(ReceivedHead received) {
    return order.stale() != null
        && !order.isShared()
        && !isSelective(order.request())
        && isOnlyToBeConfirmed(received.verdict().meta())
        && loop.history().rewrites().heldMillis(order.key(), order.request(), loop.nowMillis()) > 0;
  }

  private static boolean isSelective(RequestView request) {
    return request.has(KnownField.RANGE)
        || request.has(KnownField.IF_NONE_MATCH)
        || request.has(KnownField.IF_MODIFIED_SINCE)
        || request.has(KnownField.IF_MATCH)
        || request.has(KnownField.IF_UNMODIFIED_SINCE);
  }

  private boolean isOnlyToBeConfirmed(byte[] meta) {
    StoredMeta stored = loop.meta();
    return stored.wrap(MemorySegment.ofArray(meta), 0)
        && Sharing.isOnlyToBeConfirmed(stored, order.route());
  }

  /** It is being stored: no request waits for a response that must be validated for each use. */
  void storable(StorableHead.Made made) {
    StoredMeta stored = loop.meta();
    if (stored.wrap(MemorySegment.ofArray(made.head().meta()), 0) && Sharing.isNeverFresh(stored)) {
      remember(order.key(), HitForMiss.Kind.NEVER_FRESH, null);
    } else {
      loop.history().hitForMiss().forget(order.key(), order.request());
    }
    Backoff rewrites = loop.history().rewrites();
    if (!isOnlyToBeConfirmed(made.head().meta())) {
      rewrites.useful(order.key());
    } else if (order.stale() != null) {
      count(rewrites.wasted(order.key(), order.request(), loop.nowMillis()));
    }
  }

  /** It may not be stored; {@code fields} are those that the origin has sent. */
  void unstorable(Reason why, int status, HeaderFields fields) {
    if (order.isAhead()) {
      return;
    }
    wasted();
    boolean isOfTheMoment =
        why == Reason.NOT_STORED_NO_ROOM || why == Reason.NOT_STORED_NEVER_CONFIRMED;
    if (!isOfTheMoment && status < 500) {
      remember(uncacheableKey(why, fields), HitForMiss.Kind.UNCACHEABLE, why);
    }
  }

  /** The origin confirmed what is stored under its key. */
  void confirmed() {
    loop.history().confirmed(order.key());
  }

  /** What it brought is stored. */
  void installed() {
    loop.history().refreshes().useful(order.key());
  }

  /**
   * It has brought nothing. A refresh in the background would be begun anew by the next hit, and so
   * by every one: the next one waits.
   */
  void wasted() {
    if (order.isBackground() && !order.isAhead()) {
      count(loop.history().refreshes().wasted(order.key(), order.request(), loop.nowMillis()));
    }
  }

  private void remember(FillKey key, HitForMiss.Kind kind, @Nullable Reason why) {
    count(
        loop.history()
            .hitForMiss()
            .remember(
                key,
                order.request(),
                loop.nowMillis(),
                order.route().sharing().hitForMiss().toMillis(),
                kind,
                why));
  }

  private void count(boolean hasDisplaced) {
    if (hasDisplaced) {
      loop.counters().historyDisplaced++;
    }
  }

  /**
   * The key whose requests need not wait for one another. A request's cookies may be the reason,
   * whatever the response says (I7), so a response to a request with cookies is remembered for
   * requests with cookies alone. The variants of a response that varies by cookies are remembered
   * together.
   */
  private FillKey uncacheableKey(Reason why, HeaderFields fields) {
    if (why == Reason.NOT_STORED_ENCODING) {
      return variantByEncoding(fields);
    }
    if (!order.request().has(KnownField.COOKIE)) {
      return order.key();
    }
    var keys = loop.keys();
    return HitForMiss.withCookies(
        FieldSyntax.listContains(fields.all("vary"), "cookie")
                && keys.build(order.request(), order.route().keyRecipe())
            ? new FillKey(keys.hi(), keys.lo())
            : order.key());
  }

  /**
   * What does not fit this class of encodings may fit others: with a marker that says so each class
   * has a key of its own.
   */
  private FillKey variantByEncoding(HeaderFields fields) {
    if (!StorableHead.buildBase(loop, order, fields)) {
      return order.key();
    }
    var keys = loop.keys();
    FillKey base = new FillKey(keys.hi(), keys.lo());
    List<String> names =
        VaryMarker.union(
            VaryMarker.read(loop), StorableHead.BY_ENCODING, order.route().keyRecipe().fields());
    if (!keys.variant(order.request(), names)) {
      return order.key();
    }
    FillKey variant = new FillKey(keys.hi(), keys.lo());
    VaryMarker.enter(
        loop,
        VaryMarker.Place.of(loop, base, order.request(), order.route()),
        names,
        null,
        birth,
        loop.nowMillis() + order.route().sharing().hitForMiss().toMillis());
    return variant;
  }
}
