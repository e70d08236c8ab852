package io.forebay.core.policy;

import io.forebay.core.http.EntityTag;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds conditional requests for stored responses and evaluates the results (RFC 9111 §4.3). */
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

  /** Other responses that one request names at most. */
  public static final int MAX_OTHERS = 8;

  /** How long the list of tags becomes at most. */
  private static final int MAX_LIST = 2048;

  /**
   * Fields by which an origin chooses what else it says, or whom it says it to, rather than what
   * the bytes are. A 304 need not repeat what it says then.
   */
  private static final Set<String> CHOOSING_FIELDS = Set.of("origin", "authorization");

  /**
   * Whether a request may name stored responses that it does not select (§4.3.1), by the names of
   * the fields that select among them. One with cookies never names what is stored for requests
   * without.
   */
  public static boolean canNameOtherVariants(RequestView request, List<String> selectingFields) {
    return selectingFields.stream().noneMatch(CHOOSING_FIELDS::contains)
        && !(request.has(KnownField.COOKIE)
            && selectingFields.contains(KnownField.COOKIE.fieldName()));
  }

  /**
   * The tag by which a request that does not select a stored response may name it, or null. Only a
   * strong one says of which bytes it is: a weak one may be that of several representations (RFC
   * 9110 §8.8.1), so a 304 with it could be about another.
   */
  public static @Nullable String tagOfOtherVariant(StoredMeta other) {
    String etag = other.etag();
    return other.status() == 200 && etag != null && !EntityTag.isWeak(etag) ? etag : null;
  }

  /**
   * Which of others' tags one request may carry: as many as there is room for, and none that the
   * origin could take for another one's.
   *
   * @param own conditions for the response that the request selects; empty where there is none
   */
  public static List<String> conditionsNaming(HeaderFields own, List<String> others) {
    CharSequence ownTag = own.first("if-none-match");
    if (ownTag == null && own.size() > 0) {
      // A tag beside it would have the origin ignore the date.
      return List.of();
    }
    StringBuilder list = new StringBuilder(ownTag == null ? "" : ownTag);
    List<String> named = new ArrayList<>();
    for (String tag : others) {
      if (named.size() < MAX_OTHERS
          && list.length() + tag.length() + 2 <= MAX_LIST
          && !EntityTag.listContains(list, tag, false)) {
        list.append(list.isEmpty() ? "" : ", ").append(tag);
        named.add(tag);
      }
    }
    return named;
  }

  /**
   * The conditional fields that name other stored responses, too (§4.3.1): the tags in one list,
   * without a date, which is no question about several.
   */
  public static HeaderFields conditionalFields(HeaderFields own, List<String> named) {
    if (named.isEmpty()) {
      return own;
    }
    CharSequence ownTag = own.first("if-none-match");
    String others = String.join(", ", named);
    return HeaderFields.of("if-none-match", ownTag == null ? others : ownTag + ", " + others);
  }

  /**
   * Which of the others a 304 is about (§4.3.4), by its strong tag; -1 where it is none of them.
   */
  public static int selected(List<String> others, FieldsView notModified) {
    CharSequence etag = notModified.first("etag");
    for (int i = 0; etag != null && i < others.size(); i++) {
      if (EntityTag.strongEquals(etag, others.get(i))) {
        return i;
      }
    }
    return -1;
  }

  /** Whether a 304 to a question about several responses says which of them it is about. */
  public static boolean identifiesVariant(FieldsView notModified) {
    CharSequence etag = notModified.first("etag");
    return etag != null && EntityTag.isValid(etag);
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
