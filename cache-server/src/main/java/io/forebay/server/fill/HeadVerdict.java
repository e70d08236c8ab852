package io.forebay.server.fill;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.ContentRange;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.StatusCode;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.route.Route;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides by the head of the response how a fill continues. The order of the checks matters. */
sealed interface HeadVerdict {

  /** Fields of a 206 that are not those of the whole response. */
  Set<String> OF_PART = Set.of("content-range", "content-digest");

  /** A 304: what is stored is as good as new. */
  record Confirmed(FillRequest.StoredRef stale) implements HeadVerdict {}

  /** A 304 about another variant: a copy of that one is the response. */
  record Copied(VariantCopy copy) implements HeadVerdict {}

  /** A 304 about nothing that is here: what is wanted has to be fetched whole. */
  record Unfounded() implements HeadVerdict {}

  /** A whole response that may be stored. */
  record Whole(ReceivedHead received) implements HeadVerdict {}

  /** A part of a body whose head, which is as if the whole were sent, may be stored. */
  record Part(ReceivedHead whole, ContentRange part) implements HeadVerdict {}

  /**
   * It may not be stored.
   *
   * @param isAsClientAsked whether it answers what a client has asked for
   */
  record Unstorable(Reason why, boolean isAsClientAsked) implements HeadVerdict {}

  /** It answers a range, but not as it was asked for. */
  record Unsuited() implements HeadVerdict {}

  /**
   * What one response means.
   *
   * @param route by which it is judged
   * @param fields without those that a route does not let in
   * @param requestTimeMillis when the request was sent
   */
  static HeadVerdict of(
      FillContext loop,
      FillRequest order,
      Route route,
      long birth,
      long requestTimeMillis,
      int status,
      HeaderFields fields,
      long contentLength,
      boolean isCloseDelimited) {
    if (status == 304 && order.isConditional()) {
      return ofNotModified(loop, order, birth, requestTimeMillis, fields);
    }
    if (order.isStaleUsable() && StatusCode.isOriginFailure(status)) {
      // Whatever it says of itself: what is stored is better than a failure.
      return new Unstorable(Reason.NOT_STORED_STALE_IF_ERROR, true);
    }
    Satisfiable asked = order.asked();
    ContentRange part = null;
    if (asked != null && (status == 206 || status == 416)) {
      part = status == 206 ? partOf(loop, asked, fields, contentLength) : null;
      if (part == null) {
        return new Unsuited();
      }
    }
    if (asked != null && part == null && fields.has("content-range")) {
      // A part of what was asked for with a status that says it is the whole.
      return new Unstorable(Reason.NOT_STORED_PARTIAL, true);
    }
    HeaderFields stored = part == null ? fields : fields.without(OF_PART::contains);
    int storedStatus = part == null ? status : 200;
    long length = part == null ? contentLength : part.totalLength();
    long now = loop.nowMillis();
    StoreVerdict verdict =
        ResponsePolicy.judge(
            order.request(),
            route,
            storedStatus,
            stored,
            requestTimeMillis,
            now,
            order.key().lo() ^ birth);
    return switch (verdict) {
      // Nobody has asked for these very bytes.
      case StoreVerdict.DoNotStore refused -> new Unstorable(refused.reason(), part == null);
      case StoreVerdict.Store may -> {
        ReceivedHead received = new ReceivedHead(storedStatus, stored, length, may, now);
        if (part != null && !part.isWhole()) {
          yield new Part(received, part);
        }
        yield part == null && isCloseDelimited
            ? new Unstorable(Reason.NOT_STORED_CLOSE_DELIMITED, true)
            : new Whole(received);
      }
    };
  }

  /** It is about what the request selects, or about another variant that it named. */
  private static HeadVerdict ofNotModified(
      FillContext loop,
      FillRequest order,
      long birth,
      long requestTimeMillis,
      HeaderFields fields) {
    FillRequest.StoredRef other = order.variantIdentifiedBy(fields);
    FillRequest.StoredRef stale = order.stale();
    if (other != null) {
      VariantCopy copy =
          VariantCopy.of(loop, order, other, fields, requestTimeMillis, order.key().lo() ^ birth);
      return copy == null ? new Unfounded() : new Copied(copy);
    }
    if (stale == null || (!order.others().isEmpty() && !Revalidation.identifiesVariant(fields))) {
      return new Unfounded();
    }
    return new Confirmed(stale);
  }

  /**
   * The part that a 206 brings; null unless that is what was asked for, and what else comes of this
   * body later can be told to be of the same (I3).
   */
  private static @Nullable ContentRange partOf(
      FillContext loop, Satisfiable asked, HeaderFields fields, long contentLength) {
    ContentRange part = ContentRange.of(fields);
    boolean isSuited =
        part != null
            && part.answers(asked)
            && (contentLength < 0 || contentLength == part.length())
            && part.totalLength() / loop.store().sliceBytes() < Integer.MAX_VALUE;
    return isSuited ? part : null;
  }
}
