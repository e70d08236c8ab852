package io.forebay.e2e.imported;

import io.forebay.testing.PathOrigin;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;

/** An origin that says what it was asked, in a page that is worth compressing. */
final class EchoOrigin {
  private static final String FILLING = "nothing but words that are worth compressing\n".repeat(60);

  /** What every proxy has a way of its own with. */
  private static final Set<String> OF_PROXIES =
      Set.of(
          "accept-encoding",
          "connection",
          "content-length",
          "forwarded",
          "keep-alive",
          "te",
          "transfer-encoding",
          "via");

  private EchoOrigin() {}

  /** Starts one. */
  static PathOrigin start() throws IOException {
    PathOrigin origin = PathOrigin.start();
    origin.otherwise(EchoOrigin::answer);
    return origin;
  }

  private static void answer(PathOrigin.Exchange exchange) throws IOException {
    PathOrigin.Request request = exchange.request();
    StringBuilder seen = new StringBuilder("echo\n");
    seen.append("target: ").append(request.method()).append(' ').append(request.target());
    seen.append('\n');
    for (PathOrigin.Field field : request.fields()) {
      String name = field.name().toLowerCase(Locale.ROOT);
      if (!OF_PROXIES.contains(name)) {
        seen.append(name).append(": ").append(field.value()).append('\n');
      }
    }
    String query = request.target().replaceFirst("^[^?]*\\??", "");
    int status = 200;
    String fields = "Content-Type: text/html\r\nCache-Control: no-store\r\nX-Of-Origin: 7\r\n";
    if (query.contains("moved")) {
      status = 302;
      fields += "Location: http://" + request.field("host") + "/elsewhere?a=b\r\n";
    } else if (query.contains("missing")) {
      status = 404;
    } else if (query.contains("failing")) {
      status = 500;
    }
    exchange.respond(status, fields, seen + "\n" + FILLING);
  }
}
