package io.forebay.server.esi;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.server.compress.CompressionSettings;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fields of heads: read from the lines that an exchange wrote, and edited for pages. */
final class HeadFields {

  /** True of the page as it came, or of how long it may be reused, and not of what is assembled. */
  private static final Set<String> OF_SOURCE =
      Set.of(
          "accept-ranges",
          "age",
          "cache-control",
          "cdn-cache-control",
          "content-digest",
          "content-encoding",
          "content-length",
          "content-md5",
          "digest",
          "etag",
          "expires",
          "forebay-cache-control",
          "last-modified",
          "repr-digest",
          "surrogate-control",
          "trailer");

  private HeadFields() {}

  /** Reads the lines of a head from there on. */
  static HeaderFields read(ByteBuf head, int from) {
    return read(head.toString(from, head.writerIndex() - from, StandardCharsets.ISO_8859_1));
  }

  /** Reads complete lines. */
  static HeaderFields read(String lines) {
    HeaderFields.Builder fields = HeaderFields.builder();
    for (String line : lines.split("\r\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.add(line.substring(0, colon), line.substring(colon + 1).strip());
      }
    }
    return fields.build();
  }

  /** Puts other lines in the place of those from there on. */
  static void replace(ByteBuf head, int from, HeaderFields fields) {
    head.writerIndex(from);
    fields.forEach((name, value) -> {
      head.writeCharSequence(name, StandardCharsets.ISO_8859_1);
      head.writeCharSequence(": ", StandardCharsets.ISO_8859_1);
      head.writeCharSequence(value, StandardCharsets.ISO_8859_1);
      head.writeCharSequence("\r\n", StandardCharsets.ISO_8859_1);
    });
  }

  /**
   * The fields of an assembled page. No cache reuses it: it may have parts for one client, and how
   * long its fragments may be reused is not known when its head is sent.
   *
   * @param coding that it gets, or null
   */
  static HeaderFields ofPage(HeaderFields source, boolean isCompressible, @Nullable String coding) {
    String stored = has(source, "no-store") ? "private, no-store" : "private, no-cache";
    boolean isFixed = CompressionSettings.forbidsTransform(source);
    HeaderFields.Builder fields = HeaderFields.builder();
    source.without(OF_SOURCE::contains).forEach(fields::add);
    fields.add("cache-control", isFixed ? stored + ", no-transform" : stored);
    if (coding != null) {
      fields.add("content-encoding", coding);
    }
    HeaderFields edited = fields.build();
    boolean varies =
        source.all("vary").stream()
            .anyMatch(line ->
                line.equals("*") || line.toLowerCase(Locale.ROOT).contains("accept-encoding"));
    return isCompressible && !varies
        ? edited.and(HeaderFields.of("vary", "Accept-Encoding"))
        : edited;
  }

  private static boolean has(FieldsView fields, String directive) {
    for (String line : fields.all("cache-control")) {
      if (line.toLowerCase(Locale.ROOT).contains(directive)) {
        return true;
      }
    }
    return false;
  }
}
