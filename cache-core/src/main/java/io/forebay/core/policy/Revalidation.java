package io.forebay.core.policy;

import io.forebay.core.http.EntityTag;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
   * The conditional fields that ask for several stored responses at once (§4.3.1): their entity
   * tags, each once. A date is no question about several.
   */
  public static HeaderFields conditionalFields(List<StoredMeta> stored) {
    if (stored.size() == 1) {
      return conditionalFields(stored.getFirst());
    }
    Set<String> etags = new LinkedHashSet<>();
    for (StoredMeta one : stored) {
      String etag = one.etag();
      if (etag != null) {
        etags.add(etag);
      }
    }
    return etags.isEmpty()
        ? HeaderFields.EMPTY
        : HeaderFields.of("if-none-match", String.join(", ", etags));
  }

  /**
   * Which of several stored responses a 304 confirms (§4.3.4): with a strong entity tag the one
   * that has it, with a weak one or a date the most recent that matches; -1 where it is none of
   * them.
   */
  public static int selected(List<StoredMeta> stored, FieldsView notModified) {
    int selected = -1;
    for (int i = 0; i < stored.size(); i++) {
      boolean isCandidate =
          stored.size() == 1 || notModified.has("etag") || notModified.has("last-modified");
      boolean isMoreRecent =
          selected < 0 || stored.get(i).dateMillis() > stored.get(selected).dateMillis();
      if (isCandidate && isMoreRecent && matches(stored.get(i), notModified)) {
        selected = i;
      }
    }
    return selected;
  }

  /** What a HEAD's 200 says of the stored response to a GET (§4.3.5). */
  public enum HeadOutcome {
    /** It is the same still, so the fields of the HEAD's response update it. */
    SAME,
    /** There is another by now, so it is stale. */
    OTHER,
    /** The HEAD's response has no validator to compare. */
    UNKNOWN
  }

  /**
   * Compares the validators and the length that a HEAD's 200 has with those of the stored response.
   *
   * @param totalLength of the stored body
   */
  public static HeadOutcome compareHead(
      StoredMeta stored, long totalLength, FieldsView headResponse) {
    CharSequence etag = headResponse.first("etag");
    CharSequence lastModified = headResponse.first("last-modified");
    CharSequence length = headResponse.first("content-length");
    boolean isSame =
        isAbsentOr(etag, stored.etag())
            && isAbsentOr(lastModified, stored.lastModified())
            && isAbsentOr(length, Long.toString(totalLength));
    if (!isSame) {
      return HeadOutcome.OTHER;
    }
    // Two bodies of one length are not one body.
    return etag == null && lastModified == null ? HeadOutcome.UNKNOWN : HeadOutcome.SAME;
  }

  private static boolean isAbsentOr(@Nullable CharSequence received, @Nullable String stored) {
    return received == null || (stored != null && stored.contentEquals(received));
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
