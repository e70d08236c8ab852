package io.forebay.server.origin.http2;

import io.netty.handler.codec.http2.Http2HeadersEncoder.SensitivityDetector;
import io.netty.util.AsciiString;

/**
 * Fields that no table of a connection may hold (RFC 7541 §7.1.3): requests of different clients
 * share it, and one client could find out another one's secret by the length of header blocks.
 */
final class PrivateFields implements SensitivityDetector {
  static final PrivateFields DETECTOR = new PrivateFields();

  private PrivateFields() {}

  @Override
  public boolean isSensitive(CharSequence name, CharSequence value) {
    return AsciiString.contentEquals(name, "authorization")
        || AsciiString.contentEquals(name, "cookie")
        || AsciiString.contentEquals(name, "proxy-authorization");
  }
}
