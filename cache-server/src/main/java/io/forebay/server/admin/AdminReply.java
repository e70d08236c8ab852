package io.forebay.server.admin;

import io.forebay.server.json.AdminError;
import io.forebay.server.json.Json;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A complete response of the admin API. */
@SuppressWarnings("ArrayRecordComponent") // Made, written once, thrown away.
record AdminReply(int status, String type, byte[] body) {

  static AdminReply json(int status, ObjectNode node) {
    return new AdminReply(status, "application/json", Json.bytes(node));
  }

  static AdminReply error(AdminError e) {
    return error(e.status(), e.text(), e.problems(), e.leftOut());
  }

  static AdminReply error(int status, String text, List<String> problems, int leftOut) {
    ObjectNode error = Json.object().put("error", text);
    if (!problems.isEmpty()) {
      ArrayNode list = error.putArray("problems");
      problems.forEach(list::add);
    }
    if (leftOut > 0) {
      error.put("moreProblems", leftOut);
    }
    return json(status, error);
  }
}
