package io.forebay.server.exchange;

import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.compress.DictionarySettings;
import io.forebay.server.compress.dictionary.UseAsDictionary;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.runtime.RuntimeConfig;
import java.lang.foreign.MemorySegment;

/**
 * What responses of a route with dictionaries say of them, over HTTPS: that they vary by the
 * dictionary of the client, and what they are dictionaries for. Writes nothing on other routes.
 */
final class DictionaryLines {
  private DictionaryLines() {}

  /**
   * Writes them.
   *
   * @param meta of the stored response, or of its copy that is sent
   * @param isWhole whether the response is sent with its body and status, not as 304 or a part
   * @param lines where the stored lines lie
   */
  static void write(
      HeadWriter out,
      RuntimeConfig config,
      Route route,
      String scheme,
      StoredMeta meta,
      boolean isWhole,
      MemorySegment lines,
      long offset,
      long length) {
    DictionarySettings settings = config.dictionary(route);
    if (settings == null
        || !(meta.isCompressible() || meta.isCodedCopy())
        || !scheme.equals("https")) {
      return;
    }
    out.variesByDictionary();
    if (isWhole && !settings.line().isEmpty() && UseAsDictionary.find(lines, offset, length) < 0) {
      out.line(settings.line());
    }
  }
}
