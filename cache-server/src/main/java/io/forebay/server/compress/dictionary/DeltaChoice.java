package io.forebay.server.compress.dictionary;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.server.compress.AvailableDictionary;
import io.forebay.server.compress.CodingWeights;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.DeltaCoding;
import io.forebay.server.compress.DictionarySettings;
import io.forebay.server.compress.copy.Representation;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a request says of deltas that it may be answered with.
 *
 * @param coding the one that it prefers
 * @param sha256 hash of the dictionary that the client has
 * @param plain the coding that it would get else, null for none
 */
@SuppressWarnings("ArrayRecordComponent")
public record DeltaChoice(DeltaCoding coding, byte[] sha256, @Nullable ContentCoding plain) {

  private static final int CONDITIONS =
      KnownField.IF_MATCH.bit() | KnownField.RANGE.bit() | KnownField.IF_RANGE.bit();

  /**
   * The choice; null where the request is not to get a delta of that response: it names no
   * dictionary, prefers another coding, asks for a part, is not sure to be kept secret on its way
   * (RFC 9842 §8), or comes from a page that may not read the response.
   *
   * @param chosen what it would get without a dictionary
   * @param length of the response
   * @param response its fields
   */
  public static @Nullable DeltaChoice of(
      RequestView request,
      CompressionSettings settings,
      Representation chosen,
      long length,
      Supplier<FieldsView> response) {
    DictionarySettings dictionary = settings.dictionary();
    if (dictionary == null
        || length > dictionary.maxBytes()
        || !request.scheme().equals("https")
        || (request.knownFields() & CONDITIONS) != 0) {
      return null;
    }
    byte[] sha256 = AvailableDictionary.of(request.fields());
    if (sha256 == null) {
      return null;
    }
    long weights = CodingWeights.of(request.fields());
    ContentCoding plain = settings.choose(weights);
    boolean isFree =
        chosen instanceof Representation.Coded
            || (plain == null && !request.has(KnownField.IF_NONE_MATCH));
    DeltaCoding coding = isFree ? preferred(request, settings, weights, plain) : null;
    return coding != null && CrossOriginReadability.isReadable(request.fields(), response)
        ? new DeltaChoice(coding, sha256, plain)
        : null;
  }

  private static @Nullable DeltaCoding preferred(
      RequestView request,
      CompressionSettings settings,
      long weights,
      @Nullable ContentCoding plain) {
    boolean forbids =
        request.has(KnownField.CACHE_CONTROL)
            && CompressionSettings.forbidsTransform(request.fields());
    int least =
        plain == null
            ? CodingWeights.weightOfIdentity(weights)
            : CodingWeights.weight(weights, plain);
    long deltas = DeltaCoding.weights(request.fields().all("accept-encoding"));
    DeltaCoding best = null;
    int most = Math.max(0, least - 1);
    for (DeltaCoding coding : DeltaCoding.values()) {
      if (!forbids
          && coding.weight(deltas) > most
          && settings.codings().contains(coding.encoder())) {
        best = coding;
        most = coding.weight(deltas);
      }
    }
    return best;
  }
}
