package io.forebay.server.explain;

import io.forebay.core.http.RequestView;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.copy.CopyKeys;
import io.forebay.server.compress.copy.CopyMaker;
import io.forebay.server.compress.copy.Representation;
import io.forebay.storage.inspect.InspectedObject;
import io.forebay.storage.inspect.StoreInspector;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Which representation of a stored response a request would get.
 *
 * @param text for the operator
 * @param copy what would be served in place of the response, or null
 * @param isConfirmed whether the answer is a 304 for a coded representation
 */
record CopyFinding(String text, @Nullable InspectedObject copy, boolean isConfirmed) {

  /**
   * Null where there are no copies of the response.
   *
   * @param keys with the response's key
   */
  static @Nullable CopyFinding of(
      CompressionSettings settings,
      RequestView request,
      InspectedObject object,
      StoredMeta meta,
      KeyBuilder keys,
      StoreInspector survey)
      throws IOException {
    if (!CopyMaker.mayHaveCopies(settings, meta, object.head().totalLength())
        || !keys.toString().equals(object.head().key())) {
      return null;
    }
    return switch (Representation.of(request, meta, settings)) {
      case Representation.Identity() ->
          new CopyFinding(
              "Identity is served: Accept-Encoding, a condition or a range selects it.",
              null,
              false);
      case Representation.Confirmed(String etag) ->
          new CopyFinding("The client has a compressed form that is current: " + etag, null, true);
      case Representation.Coded(ContentCoding coding) ->
          ofCopy(coding, find(settings, coding, object, keys, survey), object);
    };
  }

  private static CopyFinding ofCopy(
      ContentCoding coding, @Nullable InspectedObject copy, InspectedObject object) {
    String text =
        copy == null
            ? "There is no copy in "
                + coding.token()
                + " of the stored response: identity is served, and a copy is made unless that was"
                + " of no use lately."
            : "The copy in "
                + coding.token()
                + " is served: "
                + copy.head().totalLength()
                + " bytes in place of "
                + object.head().totalLength()
                + ".";
    return new CopyFinding(text, copy, false);
  }

  private static @Nullable InspectedObject find(
      CompressionSettings settings,
      ContentCoding coding,
      InspectedObject object,
      KeyBuilder keys,
      StoreInspector survey)
      throws IOException {
    InspectedObject found =
        CopyKeys.build(keys, coding, settings.copies())
            ? survey.find(keys.hi(), keys.lo()).orElse(null)
            : null;
    String key = keys.toString();
    keys.uncoded();
    if (found == null
        || !found.head().key().equals(key)
        || found.isPurged()
        || found.slices().missing() > 0) {
      return null;
    }
    StoredMeta meta = InspectionLookup.meta(found.head());
    return meta != null && meta.isCodedCopy() && meta.sourceObjectId() == object.head().objectId()
        ? found
        : null;
  }
}
