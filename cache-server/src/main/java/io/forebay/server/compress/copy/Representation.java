package io.forebay.server.compress.copy;

import io.forebay.core.http.EntityTag;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.compress.AvailableDictionary;
import io.forebay.server.compress.CodedTag;
import io.forebay.server.compress.CodingWeights;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.DeltaCoding;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which representation of a stored response a request is answered with: the coding of most weight,
 * unless a condition or a range is about another one.
 *
 * <ul>
 *   <li>If-None-Match with the tag of any representation that the client takes: that one is
 *       current, whether there is a copy or not.
 *   <li>If-Match and If-Range with a tag: the representation that has it.
 *   <li>A range without If-Range: identity. Whether a copy is there changes from one request to the
 *       next, so two ranges of one body could be of two codings (RFC 9110 §14.2 leaves the choice
 *       to the server).
 * </ul>
 */
public sealed interface Representation {

  /** The response as it is stored. */
  record Identity() implements Representation {}

  /** The client has one that is current, by the tag that a 304 repeats. */
  record Confirmed(String etag) implements Representation {}

  /** The copy in a coding. */
  record Coded(ContentCoding coding) implements Representation {}

  Representation IDENTITY = new Identity();

  int SELECTING =
      KnownField.IF_MATCH.bit() | KnownField.IF_NONE_MATCH.bit() | KnownField.RANGE.bit();

  /**
   * Selects it.
   *
   * @param source of the stored response, of which copies may be made
   */
  static Representation of(RequestView request, StoredMeta source, CompressionSettings settings) {
    long weights = CodingWeights.of(request.fields());
    ContentCoding best = settings.choose(weights);
    if (best == null
        || (request.has(KnownField.CACHE_CONTROL)
            && CompressionSettings.forbidsTransform(request.fields()))) {
      return IDENTITY;
    }
    Representation preferred = new Coded(best);
    String etag = source.etag();
    if ((request.knownFields() & SELECTING) == 0 || etag == null) {
      return etag == null && isRangeOfAny(request) ? IDENTITY : preferred;
    }
    Tags tags = new Tags(etag, weights, settings);
    if (request.has(KnownField.IF_MATCH)) {
      ContentCoding named = tags.coding(tags.found(request, KnownField.IF_MATCH));
      return named == null ? IDENTITY : new Coded(named);
    }
    if (request.has(KnownField.IF_NONE_MATCH)) {
      List<String> lines = request.fields().all(KnownField.IF_NONE_MATCH.fieldName());
      for (String line : lines) {
        if (line.equals("*") || EntityTag.listContains(line, etag, false)) {
          return IDENTITY;
        }
      }
      String known = tags.found(request, KnownField.IF_NONE_MATCH);
      if (known == null && settings.dictionary() != null) {
        known = tags.foundDelta(request);
      }
      if (known != null) {
        return new Confirmed(known);
      }
    }
    if (isRangeOfAny(request)) {
      return IDENTITY;
    }
    CharSequence ifRange =
        request.has(KnownField.RANGE) ? request.value(KnownField.IF_RANGE) : null;
    if (ifRange == null || request.method().equals("HEAD")) {
      return preferred;
    }
    String tag = ifRange.toString();
    if (EntityTag.strongEquals(tag, etag)) {
      return IDENTITY;
    }
    ContentCoding named = tags.coding(tag);
    return named == null ? preferred : new Coded(named);
  }

  private static boolean isRangeOfAny(RequestView request) {
    return request.has(KnownField.RANGE)
        && !request.has(KnownField.IF_RANGE)
        && request.method().equals("GET");
  }

  /** Tags of the representations of one response that a client takes. */
  record Tags(String etag, long weights, CompressionSettings settings) {

    /** The coding of a tag, or null where it is not one of them. */
    @Nullable ContentCoding coding(@Nullable String tag) {
      ContentCoding coding = tag == null ? null : CodedTag.coding(tag);
      return tag != null
              && coding != null
              && settings.codings().contains(coding)
              && CodingWeights.weight(weights, coding) > 0
              && EntityTag.weakEquals(CodedTag.strip(tag), etag)
          ? coding
          : null;
    }

    /** The first of them in a list of tags, as strong or weak as the response's own, or null. */
    @Nullable String found(RequestView request, KnownField field) {
      return found(request, field, tag -> coding(tag) != null);
    }

    /**
     * The first in If-None-Match that is of a delta which the client takes now, to the dictionary
     * that it has now: a cache in front of the node asks with the tags of all that it has stored.
     */
    @Nullable String foundDelta(RequestView request) {
      byte[] dictionary = AvailableDictionary.of(request.fields());
      if (dictionary == null) {
        return null;
      }
      long accepted = DeltaCoding.weights(request.fields().all("accept-encoding"));
      return found(
          request,
          KnownField.IF_NONE_MATCH,
          tag -> {
            DeltaCoding delta = CodedTag.delta(tag, dictionary);
            return delta != null
                && delta.weight(accepted) > 0
                && EntityTag.weakEquals(CodedTag.strip(tag), etag);
          });
    }

    private @Nullable String found(
        RequestView request, KnownField field, Predicate<String> isWanted) {
      for (String line : request.fields().all(field.fieldName())) {
        for (int open = line.indexOf('"'); open >= 0; ) {
          int close = line.indexOf('"', open + 1);
          if (close < 0) {
            break;
          }
          String tag = line.substring(open, close + 1);
          if (isWanted.test(tag)) {
            return EntityTag.isWeak(etag) ? "W/" + tag : tag;
          }
          open = line.indexOf('"', close + 1);
        }
      }
      return null;
    }
  }
}
