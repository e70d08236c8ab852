package io.forebay.server.explain;

import io.forebay.core.http.RequestView;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.copy.CopyForm;
import io.forebay.server.compress.copy.CopyKeys;
import io.forebay.server.compress.copy.CopyMaker;
import io.forebay.server.compress.copy.Representation;
import io.forebay.server.compress.dictionary.DeltaChoice;
import io.forebay.storage.inspect.InspectedObject;
import io.forebay.storage.inspect.StoreInspector;
import java.io.IOException;
import java.util.Arrays;
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
    Representation chosen = Representation.of(request, meta, settings);
    DeltaChoice delta =
        DeltaChoice.of(
            request,
            settings,
            chosen,
            object.head().totalLength(),
            () -> {
              byte[] head = object.head().head();
              return StoredHeader.decode(Arrays.copyOfRange(head, meta.length(), head.length));
            });
    if (delta == null) {
      return without(chosen, settings, object, keys, survey);
    }
    String coding = delta.coding().token();
    int level = settings.copies().of(delta.coding().encoder());
    InspectedObject copy =
        find(CopyForm.of(delta.coding(), level, delta.sha256()), object, keys, survey);
    if (copy == null) {
      CopyFinding plain = without(chosen, settings, object, keys, survey);
      return new CopyFinding(
          "There is no delta in "
              + coding
              + " to the client's dictionary: one is made if a stored response of this origin has"
              + " that hash, and that is worth it. "
              + plain.text(),
          plain.copy(),
          plain.isConfirmed());
    }
    return new CopyFinding(
        "The delta in "
            + coding
            + " to the client's dictionary is served, as long as the dictionary is stored: "
            + sizes(copy, object),
        copy,
        false);
  }

  private static CopyFinding without(
      Representation chosen,
      CompressionSettings settings,
      InspectedObject object,
      KeyBuilder keys,
      StoreInspector survey)
      throws IOException {
    return switch (chosen) {
      case Representation.Identity() ->
          new CopyFinding(
              "Identity is served: Accept-Encoding, a condition or a range selects it.",
              null,
              false);
      case Representation.Confirmed(String etag) ->
          new CopyFinding("The client has a compressed form that is current: " + etag, null, true);
      case Representation.Coded(ContentCoding coding) ->
          ofCopy(
              coding, find(CopyKeys.form(coding, settings.copies()), object, keys, survey), object);
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
            : "The copy in " + coding.token() + " is served: " + sizes(copy, object);
    return new CopyFinding(text, copy, false);
  }

  private static String sizes(InspectedObject copy, InspectedObject object) {
    return copy.head().totalLength() + " bytes in place of " + object.head().totalLength() + ".";
  }

  private static @Nullable InspectedObject find(
      CopyForm form, InspectedObject object, KeyBuilder keys, StoreInspector survey)
      throws IOException {
    InspectedObject found =
        CopyKeys.build(keys, form) ? survey.find(keys.hi(), keys.lo()).orElse(null) : null;
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
