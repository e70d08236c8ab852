package io.forebay.server.listen.http1;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HopByHop;
import io.forebay.core.http.KnownField;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.listen.connection.ClientRequest;
import io.forebay.server.listen.connection.FieldNames;
import io.forebay.server.listen.connection.Rejection;
import io.forebay.server.listen.connection.RequestTarget;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The current request of an HTTP/1 connection: a view of the decoder's message, not a copy. One per
 * connection, reused for each request. {@link #read} makes the one pass over the fields that
 * validates them and records what the adapter or the cache needs.
 */
final class Http1Request extends ClientRequest {

  private static final HttpHeaders NO_FIELDS = new DefaultHttpHeaders();

  private static final AsciiString CLIENT_CERT = AsciiString.cached("client-cert");
  private static final AsciiString CLIENT_CERT_CHAIN = AsciiString.cached("client-cert-chain");

  private final String ownAuthority;
  private HttpHeaders headers = NO_FIELDS;
  private @Nullable String host;
  private boolean isChunked;
  private boolean isVersion11;
  private boolean wantsKeepAlive;

  /**
   * Makes the view of a connection.
   *
   * @param ownAuthority what an HTTP/1.0 request without Host is for: the address it came to
   */
  Http1Request(LimitsConfig limits, String scheme, String ownAuthority) {
    super(limits, scheme);
    this.ownAuthority = ownAuthority;
  }

  /**
   * Takes the next request in; null when it may go on to an exchange.
   *
   * @param takesPurges whether a purge may
   */
  @Nullable Rejection read(HttpRequest request, boolean takesPurges) {
    headers = request.headers();
    method = request.method().name();
    HttpVersion version = request.protocolVersion();
    isVersion11 = version.equals(HttpVersion.HTTP_1_1);
    wantsKeepAlive = isVersion11;
    if (!isVersion11 && !version.equals(HttpVersion.HTTP_1_0)) {
      return Rejection.VERSION;
    }
    if (!FieldSyntax.isToken(method)) {
      return Rejection.REQUEST_LINE;
    }
    if (!RequestTarget.isServed(method, takesPurges)) {
      return Rejection.METHOD;
    }
    Rejection refusal = readFields();
    if (refusal != null) {
      return refusal;
    }
    String uri = request.uri();
    if (uri.length() > limits.targetBytes()) {
      return Rejection.TARGET_TOO_LONG;
    }
    String authority = host;
    if (authority == null) {
      if (isVersion11) {
        return Rejection.HOST_MISSING;
      }
      authority = ownAuthority;
    }
    refusal = target.read(method, uri, authority);
    if (refusal == null) {
      refusal = checkHost();
    }
    writeClientCertificate();
    if (refusal == null && target.isAbsolute()) {
      headers.set(HttpHeaderNames.HOST, target.authority());
    }
    return refusal;
  }

  private void writeClientCertificate() {
    if (claimsCertificate) {
      headers.remove(CLIENT_CERT).remove(CLIENT_CERT_CHAIN);
    }
    String certificate = clientCertificate();
    if (certificate != null) {
      headers.set(CLIENT_CERT, certificate);
    }
  }

  private @Nullable Rejection readFields() {
    int known = 0;
    int count = 0;
    host = null;
    String connection = null;
    boolean isConnectionAlone = true;
    String transferEncoding = null;
    String expect = null;
    contentLength = -1;
    isChunked = false;
    expectsContinue = false;
    claimsCertificate = false;
    Iterator<Map.Entry<CharSequence, CharSequence>> fields = headers.iteratorCharSequence();
    while (fields.hasNext()) {
      Map.Entry<CharSequence, CharSequence> field = fields.next();
      CharSequence name = field.getKey();
      CharSequence value = field.getValue();
      if (++count > limits.headerCount()) {
        return Rejection.FIELDS_TOO_MANY;
      }
      if (!FieldSyntax.isToken(name)) {
        return Rejection.FIELD_NAME;
      }
      if (!FieldSyntax.isValue(value)) {
        return Rejection.FIELD_VALUE;
      }
      int number = FieldNames.number(name);
      if (number == FieldNames.OTHER) {
        continue;
      }
      if (FieldNames.isKnownField(number)) {
        known |= 1 << number;
        if (number == KnownField.EXPECT.ordinal()) {
          expect = value.toString();
        }
      } else if (number == FieldNames.HOST) {
        if (host != null) {
          return Rejection.HOST_TWICE;
        }
        host = value.toString();
      } else if (number == FieldNames.CONTENT_LENGTH) {
        Rejection refusal = readContentLength(value);
        if (refusal != null) {
          return refusal;
        }
      } else if (number == FieldNames.TRANSFER_ENCODING) {
        if (transferEncoding != null) {
          return Rejection.TRANSFER_ENCODING;
        }
        transferEncoding = value.toString();
      } else if (number == FieldNames.CONNECTION) {
        isConnectionAlone = connection == null;
        connection = value.toString();
      } else if (number == FieldNames.WEBSOCKET_KEY1) {
        // The decoder would take the eight bytes that follow for the body of such a handshake.
        return Rejection.OBSOLETE_WEBSOCKET;
      } else if (number == FieldNames.CLIENT_CERT || number == FieldNames.CLIENT_CERT_CHAIN) {
        claimsCertificate = true;
      }
    }
    knownFields = known;
    if (connection != null && !readConnection(connection, isConnectionAlone)) {
      return Rejection.CONNECTION;
    }
    Rejection refusal = readFraming(transferEncoding);
    return refusal != null || expect == null ? refusal : readExpect(expect);
  }

  private @Nullable Rejection readFraming(@Nullable String transferEncoding) {
    if (transferEncoding != null) {
      if (contentLength >= 0 || !isVersion11) {
        return Rejection.FRAMING;
      }
      if (!FieldSyntax.equalsIgnoreCase(transferEncoding, "chunked")) {
        return isCodingsThenChunked(transferEncoding)
            ? Rejection.CODING
            : Rejection.TRANSFER_ENCODING;
      }
      isChunked = true;
    }
    return checkLength();
  }

  /** Whether it is a list of tokens, ending in chunked: sound, but more than we can undo. */
  private static boolean isCodingsThenChunked(String transferEncoding) {
    String last = "";
    for (String coding : transferEncoding.split(",", -1)) {
      last = coding.strip();
      if (!FieldSyntax.isToken(last)) {
        return false;
      }
    }
    return FieldSyntax.equalsIgnoreCase(last, "chunked");
  }

  private @Nullable Rejection readExpect(String expect) {
    if (!FieldSyntax.equalsIgnoreCase(expect, "100-continue")) {
      return Rejection.EXPECTATION;
    }
    expectsContinue = isVersion11 && hasBody();
    return null;
  }

  private boolean readConnection(String connection, boolean isAlone) {
    // What nearly every client sends is told apart without a list.
    if (isAlone && FieldSyntax.equalsIgnoreCase(connection, "keep-alive")) {
      wantsKeepAlive = true;
      return true;
    }
    List<String> lines = headers.getAll(HttpHeaderNames.CONNECTION);
    HopByHop listed = HopByHop.ofRequest(lines);
    if (listed == null) {
      return false;
    }
    wantsKeepAlive |= hasOption(lines, "keep-alive");
    // close wins, whichever comes first (RFC 9112 §9.3).
    wantsKeepAlive &= !hasOption(lines, "close");
    return true;
  }

  private static boolean hasOption(List<String> lines, String option) {
    for (String line : lines) {
      int start = 0;
      for (int i = 0; i <= line.length(); i++) {
        if (i == line.length() || line.charAt(i) == ',') {
          if (FieldSyntax.equalsIgnoreCase(FieldSyntax.trim(line, start, i), option)) {
            return true;
          }
          start = i + 1;
        }
      }
    }
    return false;
  }

  /** Lets go of the decoder's message. */
  void clear() {
    headers = NO_FIELDS;
    host = null;
  }

  /** The Host field as it came, if it was read. */
  @Nullable String host() {
    return host;
  }

  boolean isVersion11() {
    return isVersion11;
  }

  boolean wantsKeepAlive() {
    return wantsKeepAlive;
  }

  @Override
  public boolean hasBody() {
    return isChunked || contentLength > 0;
  }

  @Override
  public @Nullable CharSequence first(String lowerCaseName) {
    return headers.get(lowerCaseName);
  }

  @Override
  public List<String> all(String lowerCaseName) {
    return headers.getAll(lowerCaseName);
  }

  @Override
  public void forEach(BiConsumer<? super CharSequence, ? super CharSequence> visitor) {
    Iterator<Map.Entry<CharSequence, CharSequence>> fields = headers.iteratorCharSequence();
    while (fields.hasNext()) {
      Map.Entry<CharSequence, CharSequence> field = fields.next();
      visitor.accept(field.getKey(), field.getValue());
    }
  }
}
