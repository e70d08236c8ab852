package io.forebay.core.key;

import io.forebay.core.http.TargetUri;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts the URL of a purge into the normal form of requests. With a scheme it is one URI;
 * without one ({@code host/path} or {@code //host/path}) it is two, http and https. Without a path
 * the path is {@code /}. A fragment is ignored.
 */
public record PurgeUrl(List<TargetUri> targets) {

  /** The URIs meant, or null when no request could ask for them. */
  public static @Nullable PurgeUrl parse(String url) {
    if (url.startsWith("/") && !url.startsWith("//")) {
      return null;
    }
    if (!url.startsWith("//") && hasScheme(url)) {
      TargetUri target = TargetUri.parse(url);
      return target == null ? null : new PurgeUrl(List.of(target));
    }
    String rest = url.startsWith("//") ? url.substring(2) : url;
    TargetUri plain = TargetUri.parse("http://" + rest);
    TargetUri secure = TargetUri.parse("https://" + rest);
    return plain == null || secure == null ? null : new PurgeUrl(List.of(plain, secure));
  }

  /** Whether {@code ://} comes before any other slash or question mark. */
  private static boolean hasScheme(String url) {
    int slash = url.indexOf('/');
    int question = url.indexOf('?');
    return slash > 0 && url.startsWith("://", slash - 1) && (question < 0 || question > slash);
  }
}
