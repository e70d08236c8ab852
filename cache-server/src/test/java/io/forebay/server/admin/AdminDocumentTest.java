package io.forebay.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.audit.AuditLog;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.metric.NodeMetrics;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The OpenAPI document beside the API that serves it. */
@Timeout(120)
@Tag("slow")
final class AdminDocumentTest {
  private static final String TOKEN = "0123456789abcdef-token";

  /** What needs a cluster, or a disk. */
  private static final Set<String> REFUSED_HERE =
      Set.of(
          "get /v1/purges/c-{id}",
          "post /v1/purges/c-{id}/undo",
          "get /v1/cluster",
          "post /v1/cluster/drain",
          "post /v1/cluster/undrain",
          "post /v1/cluster/forget",
          "get /v1/cluster/config",
          "get /v1/cluster/config/changes/{from}/{to}",
          "post /v1/cluster/config/parts",
          "post /v1/cluster/config/push",
          "post /v1/cluster/config/promote",
          "post /v1/cluster/config/rollback",
          "post /v1/stores/{name}");

  private final List<AutoCloseable> open = new ArrayList<>();

  @TempDir Path directory;
  private AdminServer admin;
  private RawHttp http;
  private JsonNode document;

  private record Operation(String method, String path, JsonNode described) {
    @Override
    public String toString() {
      return method + " " + path;
    }
  }

  @BeforeEach
  void start() throws Exception {
    EdgeFixture edge = opened(new EdgeFixture());
    edge.has("www.example.com/live/master.m3u8", "#EXTM3U\n\n");
    SmallStore store = opened(new SmallStore(directory));
    store.has("http://www.example.com/live/1.ts", "body");
    admin = start(new FakeNode(Map.of()).listening(edge.listening()).stores(store));
    http = new RawHttp(admin.port());
    RawHttp.Answer answer = http.get("/v1/openapi.json");
    assertEquals(200, answer.status());
    assertEquals("application/json", answer.field("content-type"));
    document = answer.json();
  }

  private AdminServer start(FakeNode node) throws Exception {
    AccessLog log = opened(AccessLog.open(new AccessLogConfig("off", 64), 2));
    NodeMetrics metrics = opened(new NodeMetrics(node, log, () -> 0, "0.1.0"));
    return opened(AdminServer.start(node, metrics, log, AuditLog.OFF, "0.1.0"));
  }

  private <T extends AutoCloseable> T opened(T one) {
    open.add(one);
    return one;
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
  }

  private List<Operation> operations() {
    List<Operation> all = new ArrayList<>();
    for (var path : document.path("paths").properties()) {
      for (var method : path.getValue().properties()) {
        all.add(new Operation(method.getKey(), path.getKey(), method.getValue()));
      }
    }
    return all;
  }

  @Test
  void itHasEveryPathAndMethodOfTheApiAndNoOther() {
    Set<String> served = new TreeSet<>();
    for (AdminRoutes.Route route : admin.routes()) {
      for (String method : route.methods()) {
        served.add(method.toLowerCase(Locale.ROOT) + " " + route.path());
      }
    }
    Set<String> described = new TreeSet<>();
    operations().forEach(operation -> described.add(operation.toString()));

    assertEquals(served, described);
    assertTrue(described.size() > 40, described::toString);
  }

  /** Twice, since some answer only after others. */
  @Test
  void everyOperationAnswersAsItSays() throws Exception {
    Set<String> refused = new TreeSet<>();
    Set<String> problems = new TreeSet<>();
    for (int round = 0; round < 2; round++) {
      refused.clear();
      for (Operation operation : operations()) {
        RawHttp.Answer answer =
            http.send(
                operation.method.toUpperCase(Locale.ROOT), target(operation), body(operation));
        problems.addAll(problems(operation, answer));
        if (answer.status() >= 400) {
          refused.add(operation.toString());
        }
      }
    }
    assertEquals(Set.of(), problems);
    assertEquals(new TreeSet<>(REFUSED_HERE), refused);
  }

  private List<String> problems(Operation operation, RawHttp.Answer answer) {
    String what = operation + " " + answer.status();
    JsonNode response =
        resolved(operation.described.path("responses").path(Integer.toString(answer.status())));
    JsonNode content = response.path("content").path(answer.field("content-type"));
    if (content.isMissingNode() || answer.text().contains("no resource has this path")) {
      return List.of(what + " is not described: " + answer.text());
    }
    return answer.field("content-type").equals("application/json")
        ? problems(what, content.path("schema"), answer.json())
        : List.of();
  }

  private static String target(Operation operation) {
    String path = operation.path;
    StringBuilder query = new StringBuilder();
    for (JsonNode parameter : operation.described.path("parameters")) {
      String name = parameter.path("name").asString();
      String value = parameter.path("example").asString("");
      if (parameter.path("in").asString().equals("path")) {
        assertFalse(value.isEmpty(), operation + " has no example of " + name);
        path = path.replace("{" + name + "}", value);
      } else if (!value.isEmpty()) {
        query
            .append(query.isEmpty() ? '?' : '&')
            .append(name)
            .append('=')
            .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
      }
    }
    return path + query;
  }

  private String body(Operation operation) {
    JsonNode content = operation.described.path("requestBody").path("content");
    for (var type : content.properties()) {
      JsonNode example = type.getValue().path("example");
      assertFalse(example.isMissingNode(), () -> operation + " has no example");
      assertEquals(
          List.of(), problems(operation.toString(), type.getValue().path("schema"), example));
      return example.isString() ? example.stringValue() : example.toString();
    }
    return "";
  }

  @Test
  void otherMethodsAreRefusedEverywhere() throws Exception {
    for (Operation operation : operations()) {
      RawHttp.Answer answer = http.send("PUT", target(operation), "");

      assertEquals(405, answer.status(), operation::toString);
    }
  }

  @Test
  void itSaysWhatNeedsAToken() throws Exception {
    RawHttp guarded = new RawHttp(start(new FakeNode(Map.of("admin.token", TOKEN))).port());
    for (Operation operation : operations()) {
      boolean isOpen = operation.described.has("security");

      RawHttp.Answer answer =
          guarded.send(
              operation.method.toUpperCase(Locale.ROOT), target(operation), body(operation));

      assertEquals(!isOpen, answer.status() == 401, operation::toString);
      if (!isOpen) {
        assertEquals(List.of(), problems(operation, answer));
      }
    }
  }

  // A validator of what the document uses of JSON Schema. It is stricter in one thing: what a
  // description has of properties is all that an answer may have.

  private JsonNode resolved(JsonNode node) {
    String reference = node.path("$ref").asString("");
    if (reference.isEmpty()) {
      return node;
    }
    JsonNode found = document.at(reference.substring(1));
    assertFalse(found.isMissingNode(), reference);
    return found;
  }

  private List<String> problems(String where, JsonNode declared, JsonNode value) {
    List<String> problems = new ArrayList<>();
    JsonNode schema = resolved(declared);
    assertTrue(schema.isObject(), where);
    JsonNode type = schema.path("type");
    List<String> types = new ArrayList<>();
    if (type.isArray()) {
      type.forEach(one -> types.add(one.stringValue()));
    } else if (!type.isMissingNode()) {
      types.add(type.stringValue());
    }
    if (!types.isEmpty() && types.stream().noneMatch(one -> isOf(one, value))) {
      problems.add(where + " is no " + types + ": " + value);
      return problems;
    }
    JsonNode choice = schema.path("enum");
    if (choice.isArray() && choice.valueStream().noneMatch(value::equals)) {
      problems.add(where + " is none of " + choice + ": " + value);
    }
    if (value.isArray() && schema.has("items")) {
      for (int i = 0; i < value.size(); i++) {
        problems.addAll(problems(where + "/" + i, schema.path("items"), value.get(i)));
      }
    }
    if (value.isObject() && schema.has("properties")) {
      schema
          .path("required")
          .valueStream()
          .map(JsonNode::stringValue)
          .filter(name -> !value.has(name))
          .forEach(name -> problems.add(where + " has no " + name));
      for (var member : value.properties()) {
        JsonNode property = schema.path("properties").path(member.getKey());
        if (property.isMissingNode()) {
          problems.add(where + "/" + member.getKey() + " is not described: " + member.getValue());
        } else {
          problems.addAll(problems(where + "/" + member.getKey(), property, member.getValue()));
        }
      }
    }
    return problems;
  }

  private static boolean isOf(String type, JsonNode value) {
    return switch (type) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isString();
      case "boolean" -> value.isBoolean();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "null" -> value.isNull();
      default -> throw new AssertionError("no type: " + type);
    };
  }

  @Test
  void theValidatorFindsWhatIsWrong() {
    JsonNode schema =
        JsonMapper.shared()
            .readTree(
                """
                {"type":"object","required":["a"],"properties":{"a":{"type":["integer","null"]},
                 "b":{"type":"array","items":{"type":"string","enum":["x"]}}}}
                """);
    Map<String, Integer> cases =
        Map.of(
            "{\"a\":1,\"b\":[\"x\"]}", 0,
            "{\"a\":null}", 0,
            "{}", 1,
            "{\"a\":1.5}", 1,
            "{\"a\":1,\"b\":[\"y\",1]}", 2,
            "{\"a\":1,\"c\":1}", 1,
            "[]", 1);
    cases.forEach((text, count) ->
        assertEquals(count, problems("", schema, JsonMapper.shared().readTree(text)).size(), text));
  }
}
