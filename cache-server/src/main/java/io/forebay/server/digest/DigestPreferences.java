package io.forebay.server.digest;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import java.util.LinkedHashMap;
import java.util.Map;
import org.greenbytes.http.sfv.ByteSequenceItem;
import org.greenbytes.http.sfv.IntegerItem;
import org.greenbytes.http.sfv.ListElement;
import org.jspecify.annotations.Nullable;

/**
 * Which digests a client wants: {@code Want-Content-Digest} and {@code Want-Repr-Digest}, which
 * give each algorithm a weight from 0, not acceptable, to 10 (RFC 9530 §4).
 *
 * <p>A field that is too long, malformed or of another type is ignored.
 *
 * @param ofContent weights by algorithm; null where the client does not say
 * @param ofRepresentation the same
 */
public record DigestPreferences(
    @Nullable Map<String, Long> ofContent, @Nullable Map<String, Long> ofRepresentation) {

  public static final String WANT_CONTENT = "want-content-digest";
  public static final String WANT_REPRESENTATION = "want-repr-digest";

  /** The client takes what there is. */
  public static final DigestPreferences NONE = new DigestPreferences(null, null);

  private static final int MAX_LENGTH = 1024;
  private static final int MAX_ALGORITHMS = 16;
  private static final long MAX_WEIGHT = 10;

  /** What a request says. */
  public static DigestPreferences of(FieldsView request) {
    Map<String, Long> ofContent = weights(request, WANT_CONTENT);
    Map<String, Long> ofRepresentation = weights(request, WANT_REPRESENTATION);
    return ofContent == null && ofRepresentation == null
        ? NONE
        : new DigestPreferences(ofContent, ofRepresentation);
  }

  /** Whether a request says anything, well-formed or not. */
  public static boolean areIn(FieldsView request) {
    return request.has(WANT_REPRESENTATION) || request.has(WANT_CONTENT);
  }

  /** Whether the client takes what there is. */
  public boolean isNone() {
    return ofContent == null && ofRepresentation == null;
  }

  private static @Nullable Map<String, Long> weights(FieldsView request, String lowerCaseName) {
    Map<String, ListElement<?>> members = DigestFields.members(request, lowerCaseName, MAX_LENGTH);
    if (members == null || members.size() > MAX_ALGORITHMS) {
      return null;
    }
    Map<String, Long> weights = new LinkedHashMap<>();
    for (Map.Entry<String, ListElement<?>> member : members.entrySet()) {
      if (!(member.getValue() instanceof IntegerItem weight)
          || weight.getAsLong() < 0
          || weight.getAsLong() > MAX_WEIGHT) {
        return null;
      }
      weights.put(member.getKey(), weight.getAsLong());
    }
    return weights;
  }

  /**
   * The fields of a stored response with the digests that are wanted: of each field that the client
   * has preferences for, the one by the algorithm of the highest weight that is there, or none.
   * Digests that are malformed stay as they came.
   *
   * @param isWhole whether the representation is what was stored as content, so that a digest of
   *     either is one of both
   * @param isContentWhole whether that content is sent
   */
  public HeaderFields applied(HeaderFields stored, boolean isWhole, boolean isContentWhole) {
    Map<String, ByteSequenceItem> content = digests(stored, DigestFields.OF_CONTENT);
    Map<String, ByteSequenceItem> representation = digests(stored, DigestFields.OF_REPRESENTATION);
    if (content == null || representation == null) {
      return stored;
    }
    if (isWhole) {
      Map<String, ByteSequenceItem> own = Map.copyOf(content);
      representation.forEach(content::putIfAbsent);
      own.forEach(representation::putIfAbsent);
    }
    HeaderFields applied =
        replaced(stored, DigestFields.OF_REPRESENTATION, ofRepresentation, representation);
    return isContentWhole
        ? replaced(applied, DigestFields.OF_CONTENT, ofContent, content)
        : applied;
  }

  private static HeaderFields replaced(
      HeaderFields fields,
      String name,
      @Nullable Map<String, Long> weights,
      Map<String, ByteSequenceItem> digests) {
    if (weights == null) {
      return fields;
    }
    String best = null;
    long bestWeight = 0;
    for (Map.Entry<String, Long> wanted : weights.entrySet()) {
      if (wanted.getValue() > bestWeight && digests.containsKey(wanted.getKey())) {
        best = wanted.getKey();
        bestWeight = wanted.getValue();
      }
    }
    HeaderFields others = fields.without(name::equals);
    ByteSequenceItem digest = best == null ? null : digests.get(best);
    return digest == null
        ? others
        : others.and(HeaderFields.of(name, best + "=" + digest.serialize()));
  }

  /** By algorithm; null where the field is malformed. */
  private static @Nullable Map<String, ByteSequenceItem> digests(
      HeaderFields fields, String lowerCaseName) {
    Map<String, ByteSequenceItem> digests = new LinkedHashMap<>();
    if (!fields.has(lowerCaseName)) {
      return digests;
    }
    Map<String, ListElement<?>> members =
        DigestFields.members(fields, lowerCaseName, DigestFields.MAX_LENGTH);
    if (members == null) {
      return null;
    }
    members.forEach((algorithm, value) -> {
      if (value instanceof ByteSequenceItem bytes) {
        digests.put(algorithm, bytes);
      }
    });
    return digests;
  }
}
