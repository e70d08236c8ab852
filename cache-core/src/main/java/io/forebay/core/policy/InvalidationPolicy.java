package io.forebay.core.policy;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.CacheGroups;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which stored responses an unsafe request invalidates (RFC 9111 §4.4). */
public final class InvalidationPolicy {

  private InvalidationPolicy() {}

  /**
   * The URIs whose responses are no longer valid: after an unsafe or unknown method and a status
   * that is no error, the target's own, and those of Location and Content-Location where they are
   * of the same origin. Empty otherwise.
   */
  public static List<TargetUri> invalidated(RequestView request, int status, FieldsView response) {
    if (isSafe(request.method()) || status < 200 || status > 399) {
      return List.of();
    }
    TargetUri target = TargetUri.of(request);
    Set<TargetUri> uris = new LinkedHashSet<>();
    uris.add(target);
    addSameOrigin(uris, target, response.first("location"));
    addSameOrigin(uris, target, response.first("content-location"));
    return List.copyOf(uris);
  }

  /**
   * The groups whose responses of the target's origin are no longer valid, because the response to
   * an unsafe request that was no error says so (RFC 9875 §3); empty otherwise.
   */
  public static List<String> invalidatedGroups(
      RequestView request, int status, FieldsView response) {
    return isSafe(request.method()) || status < 200 || status > 399
        ? List.of()
        : CacheGroups.of(response.all("cache-group-invalidation"));
  }

  /** RFC 9110 §9.2.1, RFC 10008 §2. */
  private static boolean isSafe(String method) {
    return switch (method) {
      case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY" -> true;
      default -> false;
    };
  }

  private static void addSameOrigin(
      Set<TargetUri> uris, TargetUri target, @Nullable CharSequence reference) {
    TargetUri uri = reference == null ? null : target.resolve(reference.toString());
    if (uri != null
        && uri.scheme().equals(target.scheme())
        && uri.authority().equals(target.authority())) {
      uris.add(uri);
    }
  }
}
