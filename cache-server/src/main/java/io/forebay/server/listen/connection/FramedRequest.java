package io.forebay.server.listen.connection;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.KnownField;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.netty.handler.codec.Headers;
import io.netty.handler.codec.http2.Http2Headers.PseudoHeaderName;
import io.netty.util.AsciiString;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The request of one HTTP/2 or HTTP/3 stream: a view of the decoded fields. Both protocols have the
 * same rules (RFC 9113 §8.2 and §8.3, RFC 9114 §4.2 and §4.3).
 */
public final class FramedRequest extends ClientRequest {

  private static final AsciiString CLIENT_CERT = AsciiString.cached("client-cert");
  private static final AsciiString CLIENT_CERT_CHAIN = AsciiString.cached("client-cert-chain");
  private static final String COOKIE = KnownField.COOKIE.fieldName();

  /** What a field counts for beyond its name and value (RFC 9113 §6.5.2, RFC 9114 §4.2.2). */
  private static final int FIELD_OVERHEAD = 32;

  private final Headers<CharSequence, CharSequence, ?> headers;
  private boolean isWithoutBody;
  private boolean isTunnelRequest;

  public FramedRequest(
      LimitsConfig limits,
      Headers<CharSequence, CharSequence, ?> headers,
      String scheme,
      boolean isWithoutBody) {
    super(limits, scheme);
    this.headers = headers;
    this.isWithoutBody = isWithoutBody;
  }

  /**
   * Checks the request; null when it may go on to an exchange.
   *
   * @param takesPurges whether a purge may
   * @param takesTunnels whether the client was told that it may use extended CONNECT
   */
  @Nullable
  public Rejection read(boolean takesPurges, boolean takesTunnels) {
    CharSequence methodValue = headers.get(PseudoHeaderName.METHOD.value());
    if (methodValue == null || !FieldSyntax.isToken(methodValue)) {
      return Rejection.MALFORMED;
    }
    method = methodValue.toString();
    Rejection refusal = readFields();
    if (refusal != null) {
      return refusal;
    }
    if (headers.contains(PseudoHeaderName.PROTOCOL.value())) {
      if (!takesTunnels || !ExtendedConnect.isWellFormed(method, headers)) {
        return Rejection.MALFORMED;
      }
      isTunnelRequest = true;
      method = ExtendedConnect.translate(headers);
      knownFields |= 1 << KnownField.UPGRADE.ordinal();
      expectsContinue = false;
    }
    if (!RequestTarget.isServed(method, takesPurges)) {
      return Rejection.METHOD;
    }
    CharSequence path = headers.get(PseudoHeaderName.PATH.value());
    CharSequence scheme = headers.get(PseudoHeaderName.SCHEME.value());
    if (path == null || scheme == null) {
      return Rejection.MALFORMED;
    }
    if (path.length() > limits.targetBytes()) {
      return Rejection.TARGET_TOO_LONG;
    }
    // The absolute form has no place in :path (RFC 9113 §8.3.1).
    if (path.isEmpty() || (path.charAt(0) != '/' && !isAsterisk(path))) {
      return Rejection.target("does not begin with a slash");
    }
    if (!FieldSyntax.equalsIgnoreCase(scheme, target.scheme())) {
      return Rejection.SCHEME_MISMATCH;
    }
    refusal = readTarget(path.toString());
    if (refusal == null) {
      refusal = checkHost();
    }
    writeClientCertificate();
    return refusal;
  }

  private void writeClientCertificate() {
    if (claimsCertificate) {
      headers.remove(CLIENT_CERT);
      headers.remove(CLIENT_CERT_CHAIN);
    }
    String certificate = clientCertificate();
    if (certificate != null) {
      headers.set(CLIENT_CERT, certificate);
    }
  }

  private static boolean isAsterisk(CharSequence path) {
    return path.length() == 1 && path.charAt(0) == '*';
  }

  private @Nullable Rejection readTarget(String path) {
    CharSequence authority = headers.get(PseudoHeaderName.AUTHORITY.value());
    CharSequence host = headers.get("host");
    if (authority == null) {
      if (host == null) {
        return Rejection.HOST_MISSING;
      }
      return target.read(method, path, host.toString());
    }
    if (host != null) {
      // Both have to mean the same; they may be spelt differently.
      Rejection refusal = target.read(method, path, host.toString());
      String hostAuthority = target.authority();
      if (refusal == null) {
        refusal = target.read(method, path, authority.toString());
      }
      return refusal == null && !hostAuthority.equals(target.authority())
          ? Rejection.HOST_TWICE
          : refusal;
    }
    return target.read(method, path, authority.toString());
  }

  private @Nullable Rejection readFields() {
    int known = 0;
    int count = 0;
    int hosts = 0;
    int cookies = 0;
    int pseudos = 0;
    long length = 0;
    for (Map.Entry<CharSequence, CharSequence> field : headers) {
      CharSequence name = field.getKey();
      CharSequence value = field.getValue();
      length += name.length() + value.length() + FIELD_OVERHEAD;
      if (length > limits.headerBytes()) {
        return Rejection.FIELDS_TOO_LARGE;
      }
      if (!FieldSyntax.isValue(value)) {
        return Rejection.FIELD_VALUE;
      }
      if (name.length() > 0 && name.charAt(0) == ':') {
        int bit = pseudoBit(name);
        if (bit == 0 || (pseudos & bit) != 0) {
          return Rejection.MALFORMED;
        }
        pseudos |= bit;
        continue;
      }
      if (++count > limits.headerCount()) {
        return Rejection.FIELDS_TOO_MANY;
      }
      if (!FieldSyntax.isToken(name) || hasUpperCase(name)) {
        return Rejection.FIELD_NAME;
      }
      int number = FieldNames.number(name);
      if (number == FieldNames.OTHER) {
        continue;
      }
      if (FieldNames.isKnownField(number)) {
        known |= 1 << number;
        if (number == KnownField.COOKIE.ordinal()) {
          cookies++;
        } else if (number == KnownField.UPGRADE.ordinal()) {
          return Rejection.CONNECTION;
        } else if (number == KnownField.EXPECT.ordinal()) {
          if (!FieldSyntax.equalsIgnoreCase(value, "100-continue")) {
            return Rejection.EXPECTATION;
          }
          expectsContinue = !isWithoutBody;
        }
      } else if (number == FieldNames.HOST) {
        if (++hosts > 1) {
          return Rejection.HOST_TWICE;
        }
      } else if (number == FieldNames.CONTENT_LENGTH) {
        Rejection refusal = readContentLength(value);
        if (refusal != null) {
          return refusal;
        }
      } else if (number == FieldNames.CLIENT_CERT || number == FieldNames.CLIENT_CERT_CHAIN) {
        claimsCertificate = true;
      } else if (number != FieldNames.TE || !FieldSyntax.equalsIgnoreCase(value, "trailers")) {
        // Fields about a connection have no meaning here (RFC 9113 §8.2.2).
        return Rejection.CONNECTION;
      }
    }
    knownFields = known;
    if (cookies > 1) {
      // Split for compression only; everyone past here knows one line (RFC 9113 §8.2.3).
      headers.set(COOKIE, String.join("; ", headers.getAll(COOKIE)));
    }
    if (isWithoutBody && contentLength > 0) {
      return Rejection.CONTENT_LENGTH;
    }
    return checkLength();
  }

  private static int pseudoBit(CharSequence name) {
    PseudoHeaderName pseudo = PseudoHeaderName.getPseudoHeader(name);
    return pseudo == null || !pseudo.isRequestOnly() ? 0 : 1 << pseudo.ordinal();
  }

  private static boolean hasUpperCase(CharSequence name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        return true;
      }
    }
    return false;
  }

  /** A pseudo-header as it came; empty where it is missing. */
  public CharSequence raw(PseudoHeaderName name) {
    CharSequence value = headers.get(name.value());
    return value == null ? "" : value;
  }

  /** The stream has ended behind the fields, which only came to light after they were read. */
  void endsWithoutBody() {
    isWithoutBody = true;
  }

  /** Whether it asks for a tunnel on its stream: what follows the fields is not a body. */
  public boolean isTunnelRequest() {
    return isTunnelRequest;
  }

  /** Whether nothing follows the fields on the stream. */
  boolean endsStream() {
    return isWithoutBody;
  }

  @Override
  public boolean hasBody() {
    return !isWithoutBody && !isTunnelRequest;
  }

  @Override
  public @Nullable CharSequence first(String lowerCaseName) {
    return headers.get(lowerCaseName);
  }

  @Override
  public List<String> all(String lowerCaseName) {
    return headers.getAll(lowerCaseName).stream().map(CharSequence::toString).toList();
  }

  @Override
  public void forEach(BiConsumer<? super CharSequence, ? super CharSequence> visitor) {
    for (Map.Entry<CharSequence, CharSequence> field : headers) {
      CharSequence name = field.getKey();
      if (name.charAt(0) != ':') {
        visitor.accept(name, field.getValue());
      }
    }
  }
}
