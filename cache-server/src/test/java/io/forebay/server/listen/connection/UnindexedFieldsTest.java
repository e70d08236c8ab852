package io.forebay.server.listen.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.ReadOnlyHttp2Headers;
import io.netty.util.AsciiString;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Which response fields enter the dynamic table of HPACK. */
class UnindexedFieldsTest {

  private static final int STREAM = 3;
  private static final int RESPONSES = 500;

  private static final String LASTING = "default-src 'self'; img-src 'self' data:";

  private final DefaultHttp2HeadersEncoder encoder =
      new DefaultHttp2HeadersEncoder(UnindexedFields.DETECTOR, true);
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();

  @Test
  void whatComesAgainIsOneByteHoweverMuchElseHasChangedMeanwhile() throws Exception {
    int first = encodedLength(head(0));
    int second = encodedLength(head(1));
    assertTrue(first - second > LASTING.length(), first + ", then " + second);
    // Enough for each of those that change to push the others out, if it alone took places.
    for (int i = 2; i < RESPONSES; i++) {
      assertEquals(second, encodedLength(head(i)), "response " + i);
    }
  }

  /** Every field but the first two has another value, of the same length, in each. */
  private static Http2Headers head(int number) {
    int distinct = 100_000 + number;
    String time = "%02d:%02d".formatted(number / 60, number % 60);
    List<String> fields =
        List.of(
            "content-type", "text/html",
            "content-security-policy", LASTING,
            "date", "Sun, 22 Nov 2026 16:" + time + " GMT",
            "etag", "\"" + distinct + "\"",
            "age", Integer.toString(distinct),
            "cache-status", "Forebay; hit; ttl=" + distinct,
            "last-modified", "Sun, 22 Nov 2026 15:" + time + " GMT",
            "expires", "Sun, 22 Nov 2026 17:" + time + " GMT",
            "location", "/" + distinct,
            "content-range", "bytes 0-9/" + distinct,
            "set-cookie", "a=" + distinct,
            "content-length", Integer.toString(distinct));
    return ReadOnlyHttp2Headers.serverHeaders(
        false,
        AsciiString.cached("200"),
        fields.stream().map(AsciiString::new).toArray(AsciiString[]::new));
  }

  /** Encodes a head, and checks that a client reads the same. */
  private int encodedLength(Http2Headers head) throws Exception {
    ByteBuf block = Unpooled.buffer();
    encoder.encodeHeaders(STREAM, head, block);
    int length = block.readableBytes();
    Http2Headers read = decoder.decodeHeaders(STREAM, block);
    assertEquals(lines(head), lines(read));
    return length;
  }

  private static List<String> lines(Http2Headers head) {
    return StreamSupport.stream(head.spliterator(), false)
        .map((Map.Entry<CharSequence, CharSequence> field) ->
            field.getKey() + ": " + field.getValue())
        .toList();
  }
}
