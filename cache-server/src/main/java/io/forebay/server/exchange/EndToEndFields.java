package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HopByHop;
import io.forebay.core.http.HttpDate;
import io.forebay.core.policy.ResponseFilter;
import io.forebay.core.route.CookieSettings.SetCookie;
import io.forebay.core.route.Route;
import io.forebay.server.response.HeadLines;
import io.forebay.server.rule.RuleOutcome;
import io.netty.buffer.ByteBuf;

/** The lines of an origin's response that are passed on unstored. */
final class EndToEndFields {
  private EndToEndFields() {}

  /**
   * Sends a response on that is not the last one, as long as the client waits for that, with no
   * cookies but those that the route lets through, and no fields that rules remove or replace. A
   * 100 is the answer to a question of this node, and a 101 is no interim response.
   */
  static void interim(
      ClientRequest request, ClientResponse response, int status, HeaderFields fields) {
    if (response.awaitsHead() && status > 101 && status < 200) {
      HeaderFields.Builder out = HeaderFields.builder();
      HeaderFields sent = HstsLine.forwarded(request, cookiesFiltered(request.route(), fields));
      RuleOutcome rules = request.rules();
      if (rules != null) {
        sent = sent.without(rules::removes);
      }
      of(TagFields.filtered(sent, request.config(), request.client())).forEach(out::add);
      out.add("via", "1.1 " + request.config().nodeId());
      response.sink().informational(status, out.build());
    }
  }

  private static HeaderFields cookiesFiltered(Route route, HeaderFields fields) {
    HeaderFields received = ResponseFilter.received(route, fields);
    return route.settings().cookies().setCookie() == SetCookie.STRIP
        ? received.without(name -> name.equals("set-cookie"))
        : received;
  }

  /** Writes every end-to-end field. */
  static void copy(ByteBuf out, HeaderFields fields) {
    write(out, of(fields));
  }

  private static HeaderFields of(HeaderFields fields) {
    HopByHop hopByHop = HopByHop.ofResponse(fields.all("connection"));
    return fields.without(name -> hopByHop.has(name) || name.equals("content-length"));
  }

  private static void write(ByteBuf out, HeaderFields fields) {
    for (int i = 0; i < fields.size(); i++) {
      HeadLines.text(out, fields.name(i));
      HeadLines.text(out, ": ");
      HeadLines.text(out, fields.value(i));
      HeadLines.text(out, "\r\n");
    }
  }

  /** Writes every end-to-end field, and a Date where the origin sent none. */
  static void copy(ByteBuf out, HeaderFields fields, long nowMillis) {
    copy(out, fields);
    if (!fields.has("date")) {
      HeadLines.text(out, "date: " + HttpDate.format(nowMillis) + "\r\n");
    }
  }
}
