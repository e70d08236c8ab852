package io.forebay.server.origin.http2;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HeaderFields;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Map;
import java.util.Set;

/**
 * The field section of a response, checked (RFC 9113 §8.2, §8.3.2). Each check throws an {@link
 * IllegalArgumentException} that says what is wrong.
 *
 * @param status 0 of trailers
 * @param contentLength -1 if none is declared
 */
record ResponseFields(int status, HeaderFields fields, long contentLength) {
  private static final int MAX_DIGITS = 18;

  /** Fields about a connection, which have no meaning here. */
  private static final Set<String> OF_CONNECTION =
      Set.of("connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade");

  static ResponseFields ofHead(Http2Headers headers, int mostFields) {
    return of(headers, mostFields, true);
  }

  static HeaderFields ofTrailers(Http2Headers headers, int mostFields) {
    return of(headers, mostFields, false).fields;
  }

  private static ResponseFields of(Http2Headers headers, int mostFields, boolean isHead) {
    HeaderFields.Builder fields = HeaderFields.builder();
    int status = 0;
    long length = -1;
    int count = 0;
    for (Map.Entry<CharSequence, CharSequence> field : headers) {
      String name = field.getKey().toString();
      CharSequence value = field.getValue();
      if (name.startsWith(":")) {
        if (!isHead || status != 0 || !name.equals(":status")) {
          throw new IllegalArgumentException("pseudo-header " + name);
        }
        status = status(value);
        continue;
      }
      if (++count > mostFields) {
        throw new IllegalArgumentException("more than " + mostFields + " field lines");
      }
      check(name, value);
      if (name.equals("content-length")) {
        if (length >= 0) {
          throw new IllegalArgumentException("several content-length fields");
        }
        length = length(value);
      }
      fields.add(name, value);
    }
    if (isHead && status == 0) {
      throw new IllegalArgumentException("no :status");
    }
    return new ResponseFields(status, fields.build(), length);
  }

  private static void check(String name, CharSequence value) {
    if (!FieldSyntax.isToken(name) || hasUpperCase(name)) {
      throw new IllegalArgumentException("field name " + name);
    }
    if (!FieldSyntax.isValue(value)) {
      throw new IllegalArgumentException("value of field " + name);
    }
    if (OF_CONNECTION.contains(name)) {
      throw new IllegalArgumentException("connection-specific field " + name);
    }
  }

  private static boolean hasUpperCase(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        return true;
      }
    }
    return false;
  }

  private static int status(CharSequence text) {
    boolean isStatus = text.length() == 3 && text.charAt(0) >= '1' && text.charAt(0) <= '5';
    int status = 0;
    for (int i = 0; isStatus && i < 3; i++) {
      int digit = text.charAt(i) - '0';
      isStatus = digit >= 0 && digit <= 9;
      status = status * 10 + digit;
    }
    if (!isStatus) {
      throw new IllegalArgumentException("status " + text);
    }
    return status;
  }

  private static long length(CharSequence text) {
    boolean isNumber = !text.isEmpty() && text.length() <= MAX_DIGITS;
    long length = 0;
    for (int i = 0; isNumber && i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      isNumber = digit >= 0 && digit <= 9;
      length = length * 10 + digit;
    }
    if (!isNumber) {
      throw new IllegalArgumentException("content-length " + text);
    }
    return length;
  }
}
