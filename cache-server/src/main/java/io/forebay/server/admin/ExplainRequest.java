package io.forebay.server.admin;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The request to explain, as the caller describes it. */
final class ExplainRequest {
  private static final int MAX_METHOD_LENGTH = 64;
  private static final int MAX_URL_LENGTH = 8192;
  private static final int MAX_FIELDS = 128;
  private static final int MAX_FIELDS_LENGTH = 32 << 10;

  private ExplainRequest() {}

  static SyntheticRequest parse(ObjectNode order) throws AdminError {
    List<String> problems = new InputProblems();
    Json.onlyKnown(order, Set.of("method", "url", "fields"), problems);
    String method = Json.text(order, "method", MAX_METHOD_LENGTH, problems);
    String url = Json.text(order, "url", MAX_URL_LENGTH, problems);
    HeaderFields fields = fields(order.get("fields"), problems);
    if (method != null && !FieldSyntax.isToken(method)) {
      problems.add("method is not a valid method");
    }
    TargetUri target = url == null ? null : TargetUri.parse(url);
    if (url == null && problems.isEmpty()) {
      problems.add("url is missing");
    } else if (url != null && target == null) {
      problems.add("url is not an absolute http or https URL that can be requested");
    }
    if (target == null || !problems.isEmpty()) {
      throw new AdminError(400, "the request is malformed, nothing was explained", problems);
    }
    SyntheticRequest request = SyntheticRequest.of(method == null ? "GET" : method, target, fields);
    return hasBody(fields) ? request.withBody() : request;
  }

  private static boolean hasBody(HeaderFields fields) {
    String length = fields.first("content-length");
    return fields.has("transfer-encoding") || (length != null && !length.matches("0+"));
  }

  private static HeaderFields fields(@Nullable JsonNode node, List<String> problems) {
    if (node == null || node.isNull()) {
      return HeaderFields.EMPTY;
    }
    if (!node.isArray() || node.size() > MAX_FIELDS) {
      problems.add("fields must be an array of at most " + MAX_FIELDS + " pairs");
      return HeaderFields.EMPTY;
    }
    HeaderFields.Builder fields = HeaderFields.builder();
    int length = 0;
    for (int i = 0; i < node.size(); i++) {
      JsonNode pair = node.get(i);
      String problem = problem(pair);
      if (problem != null) {
        problems.add("fields[" + i + "] " + problem);
        continue;
      }
      String name = pair.get(0).stringValue();
      String value = pair.get(1).stringValue();
      length += name.length() + value.length();
      fields.add(name, value);
    }
    if (length > MAX_FIELDS_LENGTH) {
      problems.add("fields are longer than " + MAX_FIELDS_LENGTH + " characters");
    }
    return fields.build();
  }

  private static @Nullable String problem(JsonNode pair) {
    if (!pair.isArray() || pair.size() != 2 || !pair.get(0).isString() || !pair.get(1).isString()) {
      return "must be a pair of strings, name and value";
    }
    String name = pair.get(0).stringValue();
    String value = pair.get(1).stringValue();
    if (!FieldSyntax.isToken(name)) {
      return "has no field name";
    }
    if (!FieldSyntax.isValue(value)) {
      return "has no field value";
    }
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "host" -> "must not be Host: the URL gives the host";
      case "content-length" -> value.matches("\\d{1,18}") ? null : "must be a length";
      default -> null;
    };
  }
}
