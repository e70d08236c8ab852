package io.forebay.server.compress;

import io.forebay.core.http.FieldsView;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a route compresses, and how.
 *
 * @param isOn whether it compresses at all
 * @param types media types in lower case: {@code type/subtype}, {@code type/*} or {@code *+suffix}
 * @param minBytes bodies known to be smaller are left alone
 * @param codings that it uses, the one it prefers first
 * @param streams levels for bodies that are compressed while they are sent
 * @param copies levels for copies that are stored
 * @param isPrivate whether responses that are passed to requests with cookies or credentials are
 *     compressed
 * @param dictionary what it does with compression dictionaries, or null
 */
public record CompressionSettings(
    boolean isOn,
    List<String> types,
    long minBytes,
    List<ContentCoding> codings,
    CodingLevels streams,
    CodingLevels copies,
    boolean isPrivate,
    @Nullable DictionarySettings dictionary) {

  /** Text, and what is text by another name. */
  public static final List<String> TEXT_TYPES =
      List.of(
          "text/*",
          "*+json",
          "*+xml",
          "application/javascript",
          "application/json",
          "application/manifest",
          "application/vnd.apple.mpegurl",
          "application/vnd.ms-fontobject",
          "application/wasm",
          "application/x-javascript",
          "application/xml",
          "font/otf",
          "font/ttf",
          "image/bmp",
          "image/x-icon");

  public static final CompressionSettings DEFAULT =
      new CompressionSettings(
          true,
          TEXT_TYPES,
          256,
          List.of(ContentCoding.values()),
          CodingLevels.STREAMS,
          CodingLevels.COPIES,
          false);

  public static final CompressionSettings OFF =
      new CompressionSettings(
          false, List.of(), 0, List.of(), CodingLevels.STREAMS, CodingLevels.COPIES, false);

  /** Without dictionaries. */
  public CompressionSettings(
      boolean isOn,
      List<String> types,
      long minBytes,
      List<ContentCoding> codings,
      CodingLevels streams,
      CodingLevels copies,
      boolean isPrivate) {
    this(isOn, types, minBytes, codings, streams, copies, isPrivate, null);
  }

  public CompressionSettings {
    types = List.copyOf(types);
    codings = List.copyOf(codings);
  }

  /** Only with codings that are there on this machine. */
  public CompressionSettings with(List<ContentCoding> available) {
    List<ContentCoding> left = codings.stream().filter(available::contains).toList();
    return new CompressionSettings(
        isOn && !left.isEmpty(), types, minBytes, left, streams, copies, isPrivate, dictionary);
  }

  /**
   * The coding that a client gets: the one to which it gives the most weight, and of several those
   * that the route prefers. Null for identity. Allocates nothing.
   *
   * @param weights {@link CodingWeights} of its request
   */
  public @Nullable ContentCoding choose(long weights) {
    if (weights == CodingWeights.NONE) {
      return null;
    }
    ContentCoding best = null;
    int most = Math.max(0, CodingWeights.weightOfIdentity(weights) - 1);
    for (int i = 0; i < codings.size(); i++) {
      int weight = CodingWeights.weight(weights, codings.get(i));
      if (weight > most) {
        best = codings.get(i);
        most = weight;
      }
    }
    return best;
  }

  /**
   * Whether a response would be compressed for a client that accepts it: its type is one of those,
   * it has no coding, and nothing in it forbids that. The status is not asked about.
   *
   * @param length of its body, or less than 0 where it is not known
   */
  public boolean suits(FieldsView response, long length) {
    CharSequence type = response.first("content-type");
    return isOn
        && type != null
        && (length < 0 || length >= minBytes)
        && coversType(type)
        && !response.has("content-encoding")
        && !response.has("content-range")
        && !forbidsTransform(response);
  }

  /** Whether Cache-Control has {@code no-transform}. */
  public static boolean forbidsTransform(FieldsView response) {
    for (String line : response.all("cache-control")) {
      if (line.toLowerCase(Locale.ROOT).contains("no-transform")) {
        return true;
      }
    }
    return false;
  }

  /** Whether responses of that media type are compressed; parameters are left out. */
  public boolean coversType(CharSequence contentType) {
    String type = contentType.toString();
    int end = type.indexOf(';');
    type = (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    if (type.equals("text/event-stream")) {
      return false;
    }
    for (String pattern : types) {
      int fixed = pattern.length() - 1;
      boolean matches =
          pattern.startsWith("*")
              ? type.regionMatches(type.length() - fixed, pattern, 1, fixed)
              : pattern.endsWith("*")
                  ? type.regionMatches(0, pattern, 0, fixed)
                  : type.equals(pattern);
      if (matches) {
        return true;
      }
    }
    return false;
  }
}
