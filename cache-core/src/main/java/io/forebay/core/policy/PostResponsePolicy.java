package io.forebay.core.policy;

import io.forebay.core.http.CacheControl;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.http.TargetedCacheControl;
import io.forebay.core.key.CanonicalRequest;
import io.forebay.core.key.FieldRecipe;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the response to a POST may be stored for later GET and HEAD requests (RFC 9110 §9.3.3):
 * the origin says by {@code Content-Location} that it is the representation of the request's own
 * URL, and says itself for how long it is fresh.
 *
 * <p>A POST is forwarded with its own fields and with content that is in no key. So the request
 * must have nothing that a fill for the same key would not send, nothing that names a user, and
 * only the origin's own word counts: no lifetime of the route, no guess.
 */
public final class PostResponsePolicy {

  /** What makes a response fit one client, or asks for something else than the representation. */
  private static final KnownField[] EXCLUDED = {
    KnownField.AUTHORIZATION,
    KnownField.COOKIE,
    KnownField.IF_MATCH,
    KnownField.IF_MODIFIED_SINCE,
    KnownField.IF_NONE_MATCH,
    KnownField.IF_RANGE,
    KnownField.IF_UNMODIFIED_SINCE,
    KnownField.RANGE,
    KnownField.UPGRADE
  };

  private PostResponsePolicy() {}

  /**
   * Whether a request is a POST on a route that stores responses to such, where clients may
   * invalidate what is stored: what is stored takes the place of what the request invalidates.
   */
  public static boolean isPost(RequestView request, Route route) {
    RouteSettings settings = route.settings();
    return request.method().equals("POST")
        && settings.storesPost()
        && settings.clientInvalidation()
        && !settings.passthrough();
  }

  /**
   * The GET that stands for a POST in the store: what a fill for its key asks the origin. Null
   * where no response to the request may be stored, whatever the origin says.
   */
  public static @Nullable RequestView question(RequestView request, Route route) {
    // Which of two keys a response's rule on queries leads to is not known before it comes.
    if (!isPost(request, route) || route.keyRecipe().hasSearchRules() || forbids(request, route)) {
      return null;
    }
    RequestView question = CanonicalRequest.of(request, "GET", route.keyRecipe());
    return isAskedAlike(request, question, route.keyRecipe().fields()) ? question : null;
  }

  private static boolean forbids(RequestView request, Route route) {
    for (KnownField field : EXCLUDED) {
      if (request.has(field)) {
        return true;
      }
    }
    return route.settings().clientDirectives() == ClientDirectives.HONOUR
        && request.has(KnownField.CACHE_CONTROL)
        && CacheControl.of(request.fields()).noStore();
  }

  /**
   * Whether the origin learns from a forwarded request no more than from a fill for its key, but
   * for its content and the codings it accepts, which the store judges by the response.
   */
  private static boolean isAskedAlike(
      RequestView request, RequestView question, FieldRecipe recipe) {
    if (!TargetUri.of(question).equals(TargetUri.of(request))) {
      return false;
    }
    Set<String> names = new HashSet<>();
    request
        .fields()
        .forEach((name, value) -> {
          String lower = name.toString().toLowerCase(Locale.ROOT);
          if (!recipe.dropsPassed(request.method(), lower)) {
            names.add(lower);
          }
        });
    question.fields().forEach((name, value) -> names.add(name.toString().toLowerCase(Locale.ROOT)));
    return names.stream()
        .allMatch(
            name -> Objects.equals(value(request.fields(), name), value(question.fields(), name)));
  }

  /** Without blanks, and of languages without the case, since a fill spells both in its own way. */
  private static @Nullable String value(FieldsView fields, String name) {
    String lines = fields.combined(name);
    if (lines == null) {
      return null;
    }
    String value = lines.replace(" ", "").replace("\t", "");
    return name.equals("accept-language") ? value.toLowerCase(Locale.ROOT) : value;
  }

  /**
   * Judges the final response to a POST.
   *
   * @param request as it was forwarded
   * @param question its {@link #question}
   * @param seed as in {@link ResponsePolicy#judge}
   */
  public static StoreVerdict judge(
      RequestView request,
      RequestView question,
      Route route,
      int status,
      FieldsView response,
      long requestTimeMillis,
      long responseTimeMillis,
      long seed) {
    if (status != 200) {
      return new StoreVerdict.DoNotStore(Reason.NOT_STORED_STATUS);
    }
    if (!isOfTarget(TargetUri.of(request), response.all("content-location"))) {
      return new StoreVerdict.DoNotStore(Reason.NOT_STORED_METHOD);
    }
    // Whatever the route allows for a GET: this response was made for the one who posted.
    if (response.has("set-cookie")) {
      return new StoreVerdict.DoNotStore(Reason.NOT_STORED_SET_COOKIE);
    }
    if (!hasExplicitFreshness(response, route)) {
      return new StoreVerdict.DoNotStore(Reason.NOT_STORED_NO_FRESHNESS);
    }
    StoreVerdict verdict =
        ResponsePolicy.judge(
            question, route, status, response, requestTimeMillis, responseTimeMillis, seed);
    return verdict instanceof StoreVerdict.Store stored && isNeverFresh(stored)
        ? new StoreVerdict.DoNotStore(Reason.NOT_STORED_STALE)
        : verdict;
  }

  private static boolean isOfTarget(TargetUri target, List<String> contentLocation) {
    return contentLocation.size() == 1
        && target.equals(target.resolve(contentLocation.getFirst().strip()));
  }

  private static boolean hasExplicitFreshness(FieldsView response, Route route) {
    TargetedCacheControl chosen =
        TargetedCacheControl.of(response, route.settings().freshness().targetedFields());
    return chosen.control().sharedMaxAgeSeconds() != CacheControl.ABSENT
        || chosen.control().maxAgeSeconds() != CacheControl.ABSENT
        || (!chosen.isTargeted() && response.has("expires"));
  }

  private static boolean isNeverFresh(StoreVerdict.Store verdict) {
    StoredMeta meta = new StoredMeta();
    return !meta.wrap(MemorySegment.ofArray(verdict.meta()), 0) || Sharing.isNeverFresh(meta);
  }
}
