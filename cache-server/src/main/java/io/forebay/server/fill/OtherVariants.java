package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.KeyText;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.history.FillKey;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.StoredHead;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the stored variants of a URL that a request does not select but sends to the origin as
 * entity tags: if the origin would send the same bytes as one of them, a 304 suffices (RFC 9111
 * §4.3.1). Used only if the origin is contacted.
 */
public final class OtherVariants {

  /** Variants of a list that are looked at. */
  public static final int MAX_INSPECTED = 16;

  /** What would be longer is not copied on a loop. */
  static final int MAX_BODY = 1 << 20;

  private static final String ENCODING = "accept-encoding";

  private OtherVariants() {}

  /**
   * Those to be named, the ones asked for lately first. Uses the loop's key builder, lane and meta.
   *
   * @param own the key that the request selects
   * @param conditions for what is stored there; empty where nothing is
   */
  public static List<FillRequest.Other> of(
      FillContext loop,
      RequestView request,
      KeyRecipe recipe,
      FillKey own,
      HeaderFields conditions) {
    KeyBuilder keys = loop.keys();
    // Which of two base keys a response's rule on queries leads to is not known before it comes.
    if (recipe.hasSearchRules()
        || !keys.build(request, recipe)
        || new FillKey(keys.hi(), keys.lo()).equals(own)) {
      return List.of();
    }
    VaryMarker marker = VaryMarker.read(loop);
    if (marker == null
        || !Revalidation.canNameOtherVariants(request, marker.names())
        || !keys.variant(request, marker.names())) {
      return List.of();
    }
    List<FillRequest.Other> others = new ArrayList<>();
    List<FillKey> listed = marker.variants().keys();
    for (FillKey key : listed.subList(0, Math.min(listed.size(), MAX_INSPECTED))) {
      if (!key.equals(own) && loop.lane().findListed(key.hi(), key.lo()) == StoreLane.Found.HIT) {
        addIfNameable(loop, key, keys.toString(), keys.baseLength(), others);
      }
    }
    List<String> named =
        new ArrayList<>(
            Revalidation.conditionsNaming(
                conditions, others.stream().map(FillRequest.Other::etag).toList()));
    // Of two that have one tag the first is as good as the other.
    others.removeIf(other -> !named.remove(other.etag()));
    return List.copyOf(others);
  }

  /** Of the head just found; gives its pin back. */
  private static void addIfNameable(
      FillContext loop, FillKey key, String ownText, int baseLength, List<FillRequest.Other> into) {
    StoredHead head = loop.lane().head();
    StoredMeta meta = loop.meta();
    byte[] keyText = loop.lane().keyText();
    String text = new String(keyText, StandardCharsets.ISO_8859_1);
    String etag =
        meta.wrap(loop.store().region(head.region()), head.headOffset())
            ? tagOf(meta, head.totalLength(), text, ownText, baseLength)
            : null;
    if (etag != null) {
      into.add(
          new FillRequest.Other(
              new FillRequest.StoredRef(key.hi(), key.lo(), keyText, head.objectId()), etag));
    }
    loop.lane().unpin(head.region());
  }

  /**
   * The tag that a stored variant may be named by, or null.
   *
   * @param text its key
   * @param ownText the key that the request selects
   */
  public static @Nullable String tagOf(
      StoredMeta meta, long totalLength, String text, String ownText, int baseLength) {
    return !meta.isVaryMarker()
            && totalLength <= MAX_BODY
            && text.startsWith(ownText.substring(0, baseLength) + " ")
            && isOfOneEncoding(text, ownText, baseLength)
        ? Revalidation.tagOfOtherVariant(meta)
        : null;
  }

  /**
   * Origins that compress as they send compare the tag of the plain file, and answer 304 to who
   * takes gzip: then this client, and all later ones of its class, would get the plain one.
   */
  private static boolean isOfOneEncoding(String text, String ownText, int baseLength) {
    return KeyText.selectingValue(text, baseLength, ENCODING)
        .equals(KeyText.selectingValue(ownText, baseLength, ENCODING));
  }
}
