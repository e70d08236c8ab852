package io.forebay.server.esi;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HopByHop;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.server.config.EsiConfig;
import io.forebay.server.http.RequestBody;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The requests of a page's fragments: which URLs they may have, and which fields of the client's
 * request they get.
 *
 * <pre>
 *   origin of the page        all end-to-end fields but those of one representation or one transfer
 *   a host of esi.hosts       User-Agent, Accept, Accept-Language, and what traces requests
 *   any other                 no request: the include fails
 * </pre>
 */
final class FragmentRequests {

  /** Longer URLs fail. */
  private static final int MAX_URL = 4096;

  /**
   * Of the page's own transfer, conditions, ranges, codings, and what the client says of caches.
   */
  private static final Set<String> OF_PAGE =
      Set.of(
          "accept-encoding",
          "cache-control",
          "content-encoding",
          "content-length",
          "content-type",
          "expect",
          "forebay-debug",
          "host",
          "if-match",
          "if-modified-since",
          "if-none-match",
          "if-range",
          "if-unmodified-since",
          "max-forwards",
          "pragma",
          "range",
          "surrogate-capability");

  private static final Set<String> FOR_OTHERS =
      Set.of(
          "accept",
          "accept-language",
          "cdn-loop",
          "forwarded",
          "traceparent",
          "tracestate",
          "user-agent",
          "via",
          "x-forwarded-for");

  private final RequestView page;
  private final EsiConfig config;
  private final Subrequests exchanges;
  private final HeaderFields own;
  private final HeaderFields others;

  FragmentRequests(RequestView page, EsiConfig config, Subrequests exchanges) {
    this.page = page;
    this.config = config;
    this.exchanges = exchanges;
    HopByHop listed = HopByHop.ofRequest(page.fields().all("connection"));
    HopByHop hopByHop = listed == null ? HopByHop.STANDARD : listed;
    HeaderFields.Builder all = HeaderFields.builder();
    page.fields()
        .forEach((name, value) -> {
          String lower = name.toString().toLowerCase(Locale.ROOT);
          if (!hopByHop.has(lower)
              && !OF_PAGE.contains(lower)
              && !lower.startsWith("sec-websocket")) {
            all.add(lower, value);
          }
        });
    own = all.build();
    others = own.without(name -> !FOR_OTHERS.contains(name));
  }

  /** Where an include leads. */
  sealed interface Found permits Target, Refused {}

  /** To a fragment. */
  record Target(TargetUri uri, HeaderFields fields) implements Found {}

  /** To none. */
  record Refused(String why) implements Found {}

  /** The target of an include's URL, relative to that of the document that has it. */
  Found target(EsiDocument parent, String url) {
    if (parent.level() >= config.limits().depth()) {
      return new Refused("has an include below esi.depth");
    }
    String text = url.strip();
    TargetUri uri = text.isEmpty() || text.length() > MAX_URL ? null : parent.uri().resolve(text);
    if (uri == null) {
      return new Refused("has an include without a usable src");
    }
    if (uri.scheme().equals(page.scheme()) && uri.authority().equals(page.authority())) {
      return new Target(uri, own);
    }
    return isListed(config.hosts(), uri)
        ? new Target(uri, others)
        : new Refused("includes " + uri + ", whose host is not in esi.hosts");
  }

  private static boolean isListed(List<String> hosts, TargetUri uri) {
    for (String host : hosts) {
      if (uri.authority().equals(AuthorityNormalizer.normalize(host, uri.scheme()))) {
        return true;
      }
    }
    return false;
  }

  /** Starts the exchange of a fragment, whose content goes into the document. */
  void start(EsiDocument into, Target target, PageAssembly assembly) {
    FragmentSink sink = new FragmentSink(assembly, into, exchanges);
    into.source(sink);
    assembly.begins(sink);
    exchanges.start(
        SyntheticRequest.of("GET", target.uri(), target.fields()), RequestBody.NONE, sink, sink);
  }
}
