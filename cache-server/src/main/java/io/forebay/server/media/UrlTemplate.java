package io.forebay.server.media;

import io.forebay.server.media.DashManifest.RefusedException;
import io.forebay.server.text.Printable;

/**
 * A template of URLs (23009-1, 5.3.9.4.4): {@code $Number%05d$}, {@code $Time$} and the like stand
 * for values.
 */
final class UrlTemplate {
  private static final int MAX_WIDTH = 20;

  private UrlTemplate() {}

  static String expand(String template, String id, long bandwidth, long number, long time)
      throws RefusedException {
    StringBuilder url = new StringBuilder(template.length() + 16);
    int at = 0;
    while (true) {
      int start = template.indexOf('$', at);
      if (start < 0) {
        return url.append(template, at, template.length()).toString();
      }
      url.append(template, at, start);
      int end = template.indexOf('$', start + 1);
      if (end < 0) {
        throw wrong(template);
      }
      String identifier = template.substring(start + 1, end);
      at = end + 1;
      int format = identifier.indexOf('%');
      String name = format < 0 ? identifier : identifier.substring(0, format);
      int width = format < 0 ? 1 : width(template, identifier.substring(format));
      switch (name) {
        case "" -> url.append('$');
        case "RepresentationID" -> url.append(id);
        case "Bandwidth" -> append(url, bandwidth, width);
        case "Number" -> append(url, number, width);
        case "Time" -> append(url, time, width);
        default -> throw wrong(template);
      }
    }
  }

  /** The width of {@code %05d}; the zero is the only flag that the standard has. */
  private static int width(String template, String format) throws RefusedException {
    int digits = format.length() - 3;
    if (digits < 0 || digits > 2 || !format.startsWith("%0") || !format.endsWith("d")) {
      if (format.equals("%d")) {
        return 1;
      }
      throw wrong(template);
    }
    int width = 0;
    for (int i = 2; i < format.length() - 1; i++) {
      char digit = format.charAt(i);
      if (digit < '0' || digit > '9') {
        throw wrong(template);
      }
      width = width * 10 + digit - '0';
    }
    if (width > MAX_WIDTH) {
      throw wrong(template);
    }
    return width;
  }

  private static void append(StringBuilder url, long value, int width) {
    String digits = Long.toString(value);
    url.repeat('0', Math.max(0, width - digits.length())).append(digits);
  }

  private static RefusedException wrong(String template) {
    String shown = template.length() > 200 ? template.substring(0, 200) : template;
    return new RefusedException("the template of URLs is not supported: " + Printable.json(shown));
  }
}
