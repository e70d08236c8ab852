package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HopByHop;
import io.forebay.core.http.HttpDate;
import io.netty.buffer.ByteBuf;

/** The lines of an origin's response that are passed on unstored. */
final class EndToEnd {
  private EndToEnd() {}

  /** Writes every end-to-end field, and a Date where the origin sent none. */
  static void copy(ByteBuf out, HeaderFields fields, long nowMillis) {
    HopByHop hopByHop = HopByHop.ofResponse(fields.all("connection"));
    for (int i = 0; i < fields.size(); i++) {
      String name = fields.name(i);
      if (!hopByHop.has(name) && !name.equals("content-length")) {
        HeadLines.text(out, name);
        HeadLines.text(out, ": ");
        HeadLines.text(out, fields.value(i));
        HeadLines.text(out, "\r\n");
      }
    }
    if (!fields.has("date")) {
      HeadLines.text(out, "date: " + HttpDate.format(nowMillis) + "\r\n");
    }
  }
}
