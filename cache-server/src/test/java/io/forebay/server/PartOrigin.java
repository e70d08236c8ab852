package io.forebay.server;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.server.TestOrigin.Request;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Responses of an origin with range support: a 206 for a range in bytes, else a 200. */
final class PartOrigin {
  private PartOrigin() {}

  /** Begin and end, exclusive, of the one closed range that a request asks for. */
  static int[] ends(Request request, int length) {
    String[] ends = request.field("range").substring("bytes=".length()).split("-", 2);
    int last = Integer.parseInt(ends[1]);
    return new int[] {Integer.parseInt(ends[0]), Math.min(last + 1, length)};
  }

  static byte[] part(byte[] body, int from, int to) {
    return Arrays.copyOfRange(body, from, to);
  }

  /** As RFC 9110 has it, If-Range included; the fields hold an entity tag or none. */
  static Answer of(byte[] body, String fields) {
    return (request, connection) -> send(request, connection, body, fields);
  }

  static void send(Request request, Connection connection, byte[] body, String fields)
      throws IOException {
    if (request.method().equals("HEAD")) {
      // A body would be read as the next response on this connection.
      TestOrigin.sendHead(connection, fields, body.length);
      return;
    }
    String condition = request.field("if-range");
    if (request.field("range").isEmpty()
        || (!condition.isEmpty() && !fields.contains("etag: " + condition + "\r\n"))) {
      TestOrigin.sendOk(connection, fields, body);
      return;
    }
    int[] ends = ends(request, body.length);
    if (ends[0] >= body.length) {
      connection.send(
          "HTTP/1.1 416 Range Not Satisfiable\r\ncontent-range: bytes */"
              + body.length
              + "\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    sendHead(connection, fields, ends[0] + "-" + (ends[1] - 1) + "/" + body.length, ends);
    connection.send(part(body, ends[0], ends[1]));
  }

  static void sendHead(Connection connection, String fields, String range, int[] ends)
      throws IOException {
    connection.send(
        "HTTP/1.1 206 Partial Content\r\n"
            + fields
            + "content-range: bytes "
            + range
            + "\r\ncontent-length: "
            + (ends[1] - ends[0])
            + "\r\n\r\n");
  }

  /** The ranges that were asked for, {@code -} for none. */
  static List<String> asked(List<Request> requests) {
    return requests.stream()
        .map(request -> request.field("range").isEmpty() ? "-" : request.field("range"))
        .toList();
  }
}
