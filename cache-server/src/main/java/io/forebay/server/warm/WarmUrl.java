package io.forebay.server.warm;

import io.forebay.server.text.HttpUrls;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A URL to warm, split into the parts for a request line and a Host field.
 *
 * @param scheme {@code http} or {@code https}
 * @param authority host and port as they go into the Host field
 * @param target path and query; every byte is visible ASCII
 */
record WarmUrl(String scheme, String authority, String target) {
  private static final int MAX_LENGTH = 8192;

  /** The URL, or null when it is none that a request can be made of. */
  static @Nullable WarmUrl parse(String text) {
    if (text.length() > MAX_LENGTH || !HttpUrls.isAbsolute(text)) {
      return null;
    }
    int authorityStart = text.indexOf("//") + 2;
    int authorityEnd = authorityStart;
    while (authorityEnd < text.length() && "/?#".indexOf(text.charAt(authorityEnd)) < 0) {
      authorityEnd++;
    }
    int fragment = text.indexOf('#', authorityEnd);
    String target = text.substring(authorityEnd, fragment < 0 ? text.length() : fragment);
    if (!target.startsWith("/")) {
      target = "/" + target;
    }
    return new WarmUrl(
        text.substring(0, text.indexOf(':')).toLowerCase(Locale.ROOT),
        text.substring(authorityStart, authorityEnd).toLowerCase(Locale.ROOT),
        visible(target));
  }

  /** What a reference in a playlist of this URL names, or null when it cannot be read. */
  @Nullable WarmUrl resolve(String reference) {
    try {
      URI base = new URI(text());
      URI resolved = base.resolve(new URI(visible(reference.strip())));
      return parse(resolved.toString());
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null;
    }
  }

  String text() {
    return scheme + "://" + authority + target;
  }

  /** The host without port, an IPv6 literal in its brackets. */
  String host() {
    if (authority.startsWith("[")) {
      return authority.substring(0, authority.indexOf(']') + 1);
    }
    int colon = authority.indexOf(':');
    return colon < 0 ? authority : authority.substring(0, colon);
  }

  /** The text with every byte that is not visible ASCII percent-encoded. */
  private static String visible(String text) {
    StringBuilder visible = null;
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      boolean isPlain = bytes[i] > 0x20 && bytes[i] < 0x7F;
      if (!isPlain && visible == null) {
        visible = new StringBuilder(new String(bytes, 0, i, StandardCharsets.US_ASCII));
      }
      if (visible != null) {
        if (isPlain) {
          visible.append((char) bytes[i]);
        } else {
          visible.append('%').append(HexFormat.of().withUpperCase().toHexDigits(bytes[i]));
        }
      }
    }
    return visible == null ? text : visible.toString();
  }
}
