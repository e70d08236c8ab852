package io.forebay.server.explain;

import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ServePlan;
import io.forebay.core.route.Route;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.storage.inspect.InspectedObject;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link RequestExplainer}: what would happen to a request, and why.
 *
 * @param request as it was looked up, without the cookies that the route leaves out
 * @param route null where none is for it
 * @param sought null where nothing is looked up
 * @param rules what each rule that was asked said, in the order in which they were
 * @param serve how what is stored would be sent, or null where no response is stored
 * @param origin what would be asked of the origin, or null
 * @param hsts Strict-Transport-Security as the answer would have it; null where it has none or only
 *     the origin will tell
 * @param notes on what can't be foreseen
 */
public record Explanation(
    RequestView request,
    @Nullable Route route,
    @Nullable Sought sought,
    List<Rule> rules,
    Answer answer,
    @Nullable Serve serve,
    @Nullable ToOrigin origin,
    @Nullable Hsts hsts,
    List<String> notes,
    long nowMillis) {

  /** The same with further notes. */
  public Explanation withNotes(List<String> more) {
    return more.isEmpty()
        ? this
        : new Explanation(
            request,
            route,
            sought,
            rules,
            answer,
            serve,
            origin,
            hsts,
            Stream.concat(notes.stream(), more.stream()).toList(),
            nowMillis);
  }

  /** What the client would see being done. */
  public enum Action {
    /** Answered from the store. */
    SERVE,
    /** The origin is asked whether what is stored is still current. */
    REVALIDATE,
    /** Fetched, and stored where that may be. */
    FETCH,
    /** Another request fetches it already: this one would wait for that. */
    JOIN,
    /** Handed through. */
    PASS,
    /** Answered by the node itself. */
    REFUSE
  }

  /** One rule, the reason it gave if it gave one, and what it means here. */
  public record Rule(String name, @Nullable Reason reason, String text) {}

  /**
   * How it ends.
   *
   * @param status that the client gets; 0 where the origin decides
   * @param cacheStatus this node's member of Cache-Status, as far as it is known beforehand
   */
  public record Answer(Action action, Reason reason, int status, String cacheStatus) {}

  /** A key and its hash. */
  public record StoreKey(String text, long hi, long lo) {}

  /**
   * What is stored for the request.
   *
   * @param searchRule by which the query was reduced, or null
   * @param base the key of the URL
   * @param key the key it ended at: the same, or a variant's
   * @param marker what stands at the base key where responses vary, or null
   * @param variants those that are listed there and stored
   * @param object what the request selects, or null
   * @param purged what it would select had it not been purged, or null
   */
  public record Sought(
      @Nullable String searchRule,
      StoreKey base,
      StoreKey key,
      @Nullable InspectedObject marker,
      List<String> selectingFields,
      List<InspectedObject> variants,
      @Nullable InspectedObject object,
      @Nullable InspectedObject purged) {}

  /** A value, and whether it is the route's own or stored with the response. */
  public record Hsts(String value, boolean isOfRoute) {}

  /** Status and part of the body, by the request's conditions and ranges. */
  public record Serve(ServePlan plan, int status) {}

  /**
   * A request to the origin.
   *
   * @param isBackground whether the client does not wait for it
   */
  public record ToOrigin(String origin, boolean isBackground, OriginRequest request) {}
}
