package io.forebay.core.policy;

import io.forebay.core.http.EntityTag;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import org.jspecify.annotations.Nullable;

/** Asking the origin whether a stored response is still current (RFC 9111 §4.3). */
public final class Revalidation {

  private Revalidation() {}

  /** The conditional fields to send (§4.3.1); empty when the response has no validator. */
  public static HeaderFields conditionalFields(StoredMeta stored) {
    HeaderFields.Builder fields = HeaderFields.builder();
    String etag = stored.etag();
    if (etag != null) {
      fields.add("if-none-match", etag);
    }
    String lastModified = stored.lastModified();
    if (lastModified != null) {
      fields.add("if-modified-since", lastModified);
    }
    return fields.build();
  }

  /**
   * Whether a 304 is about the stored response (§4.3.4). A strong entity tag has to be the stored
   * one, a weak one or a Last-Modified has to match it; a 304 without validators answers the
   * question that was asked. One that does not match must not freshen anything: the response is to
   * be fetched again without conditions.
   */
  public static boolean matches(StoredMeta stored, FieldsView notModified) {
    CharSequence etag = notModified.first("etag");
    String storedEtag = stored.etag();
    if (etag != null && EntityTag.isValid(etag) && storedEtag != null) {
      return EntityTag.isWeak(etag)
          ? EntityTag.weakEquals(etag, storedEtag)
          : isSameStrong(etag, storedEtag);
    }
    if (etag != null && EntityTag.isValid(etag) && !EntityTag.isWeak(etag)) {
      return false;
    }
    CharSequence lastModified = notModified.first("last-modified");
    String storedLastModified = stored.lastModified();
    return lastModified == null
        || storedLastModified == null
        || CharSequence.compare(lastModified, storedLastModified) == 0;
  }

  /** Some origins weaken the tag of a response they compress and answer with the strong one. */
  private static boolean isSameStrong(CharSequence etag, @Nullable String storedEtag) {
    return storedEtag != null
        && (EntityTag.isWeak(storedEtag)
            ? EntityTag.weakEquals(etag, storedEtag)
            : EntityTag.strongEquals(etag, storedEtag));
  }
}
