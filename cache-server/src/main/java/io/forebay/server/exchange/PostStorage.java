package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.ResponseTags;
import io.forebay.core.policy.PostResponsePolicy;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.route.Route;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.FillRequest;
import io.forebay.server.fill.PassedResponseWriter;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.storage.lane.StoreLane;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores the response to a POST that was passed on for later GET requests, where it says that it is
 * what they would get (RFC 9110 §9.3.3).
 *
 * <p>The response invalidates what is stored for its URL, and takes the place of that in one step:
 * fetches of that URL which began earlier are dead, and the response itself is not. A purge since
 * the request was sent keeps it from being stored (I2).
 *
 * @param requestTimeMillis when the POST was sent
 * @param birth its number in the store's sequence, or -1 where nothing may be stored
 */
record PostStorage(long requestTimeMillis, long birth) {

  /** For no request. */
  static final PostStorage NONE = new PostStorage(0, -1);

  /** Of a request that is about to be sent. */
  static PostStorage begin(FillContext loop, ClientRequest request) {
    return PostResponsePolicy.isPost(request.view(), request.route())
        ? new PostStorage(loop.nowMillis(), loop.store().nextBirth())
        : NONE;
  }

  /**
   * Invalidates what the request has changed, and begins to store the response if it may be stored.
   *
   * @param asked what was sent
   * @return who stores its body, or null
   */
  @Nullable PassedResponseWriter apply(
      ExchangeContext loop,
      ClientRequest request,
      OriginRequest asked,
      int status,
      HeaderFields fields,
      long contentLength,
      boolean isCloseDelimited) {
    RequestView question =
        birth < 0 || isCloseDelimited || status != 200 || !fields.has("content-location")
            ? null
            : PostResponsePolicy.question(request.view(), request.route());
    StoreVerdict verdict =
        question == null
            ? null
            : PostResponsePolicy.judge(
                request.view(),
                question,
                request.route(),
                status,
                fields,
                requestTimeMillis,
                loop.nowMillis(),
                birth);
    long replaced =
        question != null && verdict instanceof StoreVerdict.Store
            ? replace(loop.filling(), request, question, fields)
            : -1;
    Invalidation.apply(loop, request, status, fields, replaced >= 0);
    if (replaced < 0 || question == null || !(verdict instanceof StoreVerdict.Store stored)) {
      return null;
    }
    FillRequest order =
        new FillRequest(
            request.key(),
            question,
            request.route(),
            asked,
            null,
            List.of(),
            null,
            false,
            false,
            false,
            0,
            StoreLane.UNKNOWN);
    return PassedResponseWriter.begin(
        loop.filling(), order, status, fields, contentLength, stored, replaced);
  }

  /** Invalidates the request's own URL; gives the birth of what takes its place, or -1. */
  private long replace(
      FillContext loop, ClientRequest request, RequestView question, HeaderFields fields) {
    Route route = request.route();
    KeyRecipe recipe = route.keyRecipe();
    if (!loop.keys().build(question, recipe)) {
      return -1;
    }
    long own = loop.scopes().exact(TargetUri.of(request.view()), recipe);
    long[] scopes = loop.scopes().ofResponse(question, recipe, ResponseTags.of(fields));
    return loop.lane().replace(own, scopes, birth);
  }
}
