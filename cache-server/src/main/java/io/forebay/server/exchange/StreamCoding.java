package io.forebay.server.exchange;

import io.forebay.core.http.AcceptEncoding;
import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.StoredHeader;
import io.forebay.server.compress.CodedTag;
import io.forebay.server.compress.CodingWeights;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.origin.call.OriginRequest;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the body of a response is coded while it streams to a client, and edits the head
 * for it.
 *
 * <pre>
 *   suits the route's settings, client accepts a coding    encoded; tag with suffix
 *   suits them, client accepts none, or no place is free   as it is
 *   coded as the client does not accept                    decoded; weak tag
 *   304 to a condition on a coded tag                      that tag
 *   anything else                                          as it is
 * </pre>
 *
 * All but the last get {@code Vary: Accept-Encoding}.
 */
final class StreamCoding {

  private static final String VARY = "Accept-Encoding";

  /** True of the representation as it came alone. */
  private static final Set<String> OF_IDENTITY =
      Set.of(
          "accept-ranges",
          "content-digest",
          "content-encoding",
          "content-length",
          "content-md5",
          "digest",
          "etag",
          "repr-digest");

  private StreamCoding() {}

  /**
   * The fields to send in place of those that came. If the body is to be coded, the response goes
   * through a coding sink from now on ({@link ClientResponse#isCoded}), and its length is not
   * known.
   *
   * @param length of the body, or less than 0 where it is not known
   * @param hasBody whether the body follows; a HEAD gets the head that a GET would
   * @param isShared whether the response is stored, so that it has no secrets of one client
   */
  static HeaderFields apply(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      int status,
      HeaderFields fields,
      long length,
      boolean hasBody,
      boolean isShared) {
    CompressionSettings settings = request.config().compression(request.route());
    if (!settings.isOn() || request.isPage()) {
      return fields;
    }
    FieldsView asked = request.view().fields();
    if (status == 304) {
      return notModified(asked, fields);
    }
    if ((hasBody && length == 0)
        || status == 204
        || status == 206
        || !(hasBody || request.isHead())
        || CompressionSettings.forbidsTransform(asked)) {
      return fields;
    }
    long bodyBytes = hasBody ? length : namedLength(fields);
    if (settings.suits(fields, bodyBytes)) {
      return suited(loop, request, response, settings, fields, length, hasBody, isShared);
    }
    ContentCoding foreign = hasBody ? foreignCoding(asked, fields) : null;
    CodedSink decoding =
        foreign == null
            ? null
            : CodedSink.decoding(loop.compressors(), foreign, loop.eventLoop(), response);
    if (decoding == null) {
      return fields;
    }
    response.codes(decoding, "decoded");
    return edited(fields, null, weak(fields.first("etag")));
  }

  /**
   * The same for what a fill brings.
   *
   * @param block field lines as they are stored
   * @return the lines to send
   */
  @SuppressWarnings("ReferenceEquality") // the very same where nothing changes
  static byte[] applyToFill(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      int status,
      byte[] block,
      long length) {
    CompressionSettings settings = request.config().compression(request.route());
    if (!settings.isOn() || request.isPage() || !mayChange(settings, block)) {
      return block;
    }
    HeaderFields fields = fields(block);
    HeaderFields sent = apply(loop, request, response, status, fields, length, true, true);
    if (sent == fields) {
      return block;
    }
    return block(sent);
  }

  /** Fields as lines. */
  static byte[] block(HeaderFields fields) {
    StringBuilder text = new StringBuilder(1024);
    fields.forEach((name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Whether {@link #apply} may do anything about a whole response, from two of its lines. */
  private static boolean mayChange(CompressionSettings settings, byte[] block) {
    String type = StoredHeader.first(block, "content-type");
    return (type != null && settings.coversType(type))
        || StoredHeader.first(block, "content-encoding") != null;
  }

  /** The fields of lines as they are stored. */
  static HeaderFields fields(byte[] block) {
    HeaderFields.Builder lines = HeaderFields.builder();
    for (String line : new String(block, StandardCharsets.ISO_8859_1).split("\r\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        lines.add(line.substring(0, colon), line.substring(colon + 1).strip());
      }
    }
    return lines.build();
  }

  /**
   * The request to an origin for that of a client: of tags that this node made, the origin knows
   * those without suffix.
   */
  static OriginRequest asked(OriginRequest request) {
    HeaderFields fields = request.fields();
    HeaderFields.Builder out = null;
    for (int i = 0; i < fields.size(); i++) {
      String value = fields.value(i);
      boolean isCondition =
          fields.name(i).equals("if-none-match") || fields.name(i).equals("if-match");
      String known = isCondition ? CodedTag.withStripped(value) : value;
      if (out == null && known.length() != value.length()) {
        out = HeaderFields.builder();
        for (int before = 0; before < i; before++) {
          out.add(fields.name(before), fields.value(before));
        }
      }
      if (out != null) {
        out.add(fields.name(i), known);
      }
    }
    return out == null ? request : request.with(out.build());
  }

  private static HeaderFields suited(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      CompressionSettings settings,
      HeaderFields fields,
      long length,
      boolean hasBody,
      boolean isShared) {
    FieldsView asked = request.view().fields();
    ContentCoding coding = settings.choose(CodingWeights.of(asked));
    if (coding == null || !(isShared || settings.isPrivate() || !isPrivate(request))) {
      return varying(fields);
    }
    int level = settings.streams().of(coding);
    if (hasBody) {
      CodedSink encoding =
          CodedSink.encoding(loop.compressors(), coding, level, length, loop.eventLoop(), response);
      if (encoding == null) {
        return varying(fields);
      }
      response.codes(encoding, coding.token());
    }
    String tag = fields.first("etag");
    return edited(fields, coding, tag == null ? null : CodedTag.add(tag, coding, level));
  }

  /** Whether the request says who the client is. */
  private static boolean isPrivate(ClientRequest request) {
    FieldsView asked = request.view().fields();
    return asked.has("cookie") || asked.has("authorization");
  }

  /** The one coding of a response that the client does not accept, where it can be undone. */
  private static @Nullable ContentCoding foreignCoding(FieldsView asked, HeaderFields fields) {
    String named = fields.combined("content-encoding");
    if (named == null
        || named.indexOf(',') >= 0
        || fields.has("content-range")
        || CompressionSettings.forbidsTransform(fields)) {
      return null;
    }
    int accepted = AcceptEncoding.classOf(asked);
    ContentCoding coding = ContentCoding.ofBits(AcceptEncoding.codingsOf(fields));
    return coding == null
            || (accepted & AcceptEncoding.NO_IDENTITY) != 0
            || AcceptEncoding.accepts(accepted, coding.bit())
        ? null
        : coding;
  }

  private static HeaderFields edited(
      HeaderFields fields, @Nullable ContentCoding coding, @Nullable String tag) {
    HeaderFields.Builder out = HeaderFields.builder();
    fields.without(OF_IDENTITY::contains).forEach(out::add);
    if (coding != null) {
      out.add("content-encoding", coding.token());
    }
    if (tag != null) {
      out.add("etag", tag);
    }
    return varying(out.build());
  }

  /** The same with Accept-Encoding in Vary. */
  static HeaderFields varying(HeaderFields fields) {
    boolean varies =
        FieldSyntax.listContains(fields.all("vary"), "accept-encoding")
            || FieldSyntax.listContains(fields.all("vary"), "*");
    return varies ? fields : fields.and(HeaderFields.of("vary", VARY));
  }

  private static HeaderFields notModified(FieldsView asked, HeaderFields fields) {
    String condition = asked.combined("if-none-match");
    String tag = fields.first("etag");
    String coded = condition == null || tag == null ? null : CodedTag.codedFormOf(tag, condition);
    return coded == null
        ? fields
        : varying(fields.without(name -> name.equals("etag")).and(HeaderFields.of("etag", coded)));
  }

  /** What a response to HEAD says of the length of the body, or -1. */
  private static long namedLength(HeaderFields fields) {
    String named = fields.first("content-length");
    try {
      return named == null ? -1 : Long.parseLong(named);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static @Nullable String weak(@Nullable String tag) {
    return tag == null || tag.startsWith("W/") ? tag : "W/" + tag;
  }
}
