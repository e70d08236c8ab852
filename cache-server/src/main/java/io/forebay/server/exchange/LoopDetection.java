package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;

/** Whether a request has passed through this node before (RFC 8586). */
final class LoopDetection {
  private LoopDetection() {}

  static boolean hasPassedHere(RequestView request, String nodeId) {
    CharSequence first = request.fields().first("cdn-loop");
    if (first == null) {
      return false;
    }
    for (String line : request.fields().all("cdn-loop")) {
      int from = 0;
      while (from <= line.length()) {
        int comma = line.indexOf(',', from);
        int to = comma < 0 ? line.length() : comma;
        String member = line.substring(from, to);
        int semicolon = member.indexOf(';');
        String id = semicolon < 0 ? member : member.substring(0, semicolon);
        if (id.trim().equals(nodeId)) {
          return true;
        }
        from = to + 1;
      }
    }
    return false;
  }
}
