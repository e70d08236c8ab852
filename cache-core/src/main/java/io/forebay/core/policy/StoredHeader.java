package io.forebay.core.policy;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HopByHop;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.TargetedCacheControl;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The header of a response as it is stored: ready to be sent, as lines of {@code name: value}, each
 * ended by CR and LF, names in lower case, Latin-1, in the order received. Left out is what ends at
 * this hop (RFC 9111 §3.1), what the delivery writes anew for each answer (Age, Content-Length,
 * Accept-Ranges), and what the verdict omits. A Content-Range is that of a 200, which gives it no
 * meaning: {@link StoredMeta#hasContentRange} says so. A Date is added where the origin sent none
 * (RFC 9110 §6.6.1), and {@code accept-ranges: bytes} to a 200.
 *
 * <p>Strict-Transport-Security stands before all others, and once, so that a delivery which may not
 * send it finds it without a search, whatever the route said when it was stored.
 */
public final class StoredHeader {

  /** The longest header stored. */
  public static final int MAX_LENGTH = 64 * 1024;

  private static final Set<String> WRITTEN_AT_DELIVERY =
      Set.of("age", "content-length", "accept-ranges");

  private static final String TRANSPORT_SECURITY = "strict-transport-security";
  private static final byte[] TRANSPORT_SECURITY_LINE =
      (TRANSPORT_SECURITY + ":").getBytes(StandardCharsets.ISO_8859_1);

  private StoredHeader() {}

  /**
   * The stored header, or null when it would be too long or a field is malformed (a name that is no
   * token, a value with a control character): the response is then not to be stored, and not to be
   * sent on either.
   *
   * @param omittedFields lower-case names, from {@link StoreVerdict.Store#omittedFields()}
   */
  public static byte @Nullable [] encode(
      int status, FieldsView response, List<String> omittedFields, long responseTimeMillis) {
    HopByHop hopByHop = HopByHop.ofResponse(response.all("connection"));
    StringBuilder block = new StringBuilder(512);
    StringBuilder transportSecurity = new StringBuilder();
    boolean[] isMalformed = new boolean[1];
    response.forEach((name, value) -> {
      String lowerCase = name.toString().toLowerCase(Locale.ROOT);
      isMalformed[0] |= !FieldSyntax.isToken(lowerCase) || !FieldSyntax.isValue(value);
      boolean isLeftOut =
          isMalformed[0]
              || hopByHop.has(lowerCase)
              || WRITTEN_AT_DELIVERY.contains(lowerCase)
              || omittedFields.contains(lowerCase);
      if (isLeftOut) {
        return;
      }
      if (!lowerCase.equals(TRANSPORT_SECURITY)) {
        append(block, lowerCase, value);
      } else if (transportSecurity.isEmpty()) {
        append(transportSecurity, lowerCase, value);
      }
    });
    if (!transportSecurity.isEmpty()) {
      block.insert(0, transportSecurity);
    }
    if (!response.has("date")) {
      append(block, "date", HttpDate.format(responseTimeMillis));
    }
    if (status == 200) {
      append(block, "accept-ranges", "bytes");
    }
    return isMalformed[0] || block.length() > MAX_LENGTH
        ? null
        : block.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private static void append(StringBuilder block, CharSequence name, CharSequence value) {
    if (block.length() <= MAX_LENGTH) {
      block.append(name).append(": ").append(value).append("\r\n");
    }
  }

  /**
   * The lines of the named fields, in the same form; of a name whose lines are more than a targeted
   * field may have, none.
   */
  static String linesOf(List<String> lowerCaseNames, FieldsView response) {
    StringBuilder block = new StringBuilder();
    for (String name : lowerCaseNames) {
      List<String> values = response.all(name);
      if (TargetedCacheControl.fits(name, values)) {
        values.stream().filter(FieldSyntax::isValue).forEach(value -> append(block, name, value));
      }
    }
    return block.toString();
  }

  /** Length of the Strict-Transport-Security line that a stored header begins with; 0 without. */
  public static int transportSecurityLength(MemorySegment segment, long offset, int length) {
    for (int i = 0; i < TRANSPORT_SECURITY_LINE.length; i++) {
      if (i == length
          || segment.get(ValueLayout.JAVA_BYTE, offset + i) != TRANSPORT_SECURITY_LINE[i]) {
        return 0;
      }
    }
    int end = TRANSPORT_SECURITY_LINE.length;
    while (end < length && segment.get(ValueLayout.JAVA_BYTE, offset + end) != '\n') {
      end++;
    }
    return Math.min(end + 1, length);
  }

  /** The first value of a field in a stored header; null without one. */
  public static @Nullable String first(byte[] block, String lowerCaseName) {
    int start = 0;
    while (start < block.length) {
      int end = lineEnd(block, start);
      if (isNamed(block, start, end, lowerCaseName)) {
        int from = start + lowerCaseName.length() + 1;
        return new String(block, from, end - from, StandardCharsets.ISO_8859_1).strip();
      }
      start = end + 1;
    }
    return null;
  }

  private static int lineEnd(byte[] block, int start) {
    int end = start;
    while (end < block.length && block[end] != '\n') {
      end++;
    }
    return end;
  }

  private static boolean isNamed(byte[] block, int start, int end, String name) {
    int length = name.length();
    if (end - start <= length || block[start + length] != ':') {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (block[start + i] != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** The fields of a stored header, read where it lies. */
  public static HeaderFields decode(MemorySegment segment, long offset, int length) {
    byte[] block = new byte[length];
    MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, block, 0, length);
    return decode(block);
  }

  /**
   * The fields of a stored header.
   *
   * @throws IllegalArgumentException when the bytes are none
   */
  public static HeaderFields decode(byte[] block) {
    String text = new String(block, StandardCharsets.ISO_8859_1);
    HeaderFields.Builder fields = HeaderFields.builder();
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf("\r\n", start);
      int colon = text.indexOf(": ", start);
      if (end < 0 || colon < 0 || colon + 2 > end) {
        throw new IllegalArgumentException("not a stored header at offset " + start);
      }
      fields.add(text.substring(start, colon), text.substring(colon + 2, end));
      start = end + 2;
    }
    return fields.build();
  }
}
