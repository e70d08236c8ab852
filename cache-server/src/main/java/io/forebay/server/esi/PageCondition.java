package io.forebay.server.esi;

import io.forebay.core.http.AcceptEncoding;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SurrogateControl;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.config.EsiConfig;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Whether the tags in a response count. */
public final class PageCondition {
  private PageCondition() {}

  /**
   * Whether a response is assembled.
   *
   * @param config of the route that serves it
   * @param response its fields as they came from the origin, or as they are stored
   */
  public static boolean isPage(EsiConfig config, int status, FieldsView response) {
    if (!config.isOn() || status != 200 || !isType(config, response.first("content-type"))) {
      return false;
    }
    if (config.mode() == EsiConfig.Mode.SURROGATE_CONTROL
        && !SurrogateControl.asksForEsi(response.all("surrogate-control"))) {
      return false;
    }
    return !response.has("content-encoding") || coding(response) != null;
  }

  /** The fields of a stored head, whose lines begin there. */
  public static HeaderFields stored(byte[] head, int from) {
    return HeadFields.read(new String(head, from, head.length - from, StandardCharsets.ISO_8859_1));
  }

  private static boolean isType(EsiConfig config, @Nullable CharSequence contentType) {
    if (contentType == null) {
      return false;
    }
    String type = contentType.toString();
    int end = type.indexOf(';');
    String bare = (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    return config.types().contains(bare);
  }

  /** The coding of a response, where it is one that can be undone; else null. */
  static @Nullable ContentCoding coding(FieldsView response) {
    String named = response.combined("content-encoding");
    return named == null || named.indexOf(',') >= 0
        ? null
        : ContentCoding.ofBits(AcceptEncoding.codingsOf(response));
  }
}
