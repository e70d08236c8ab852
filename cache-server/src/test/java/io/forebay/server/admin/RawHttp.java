package io.forebay.server.admin;

import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Requests to the admin API of that port by {@link RawClient}, each on a connection of its own that
 * the API has to end.
 */
public record RawHttp(int port) {

  /**
   * What came back.
   *
   * @param body all that followed the head, whatever length the head says
   */
  @SuppressWarnings("ArrayRecordComponent") // Looked at, never compared.
  public record Answer(Response head, byte[] body) {
    public int status() {
      return head.status();
    }

    /** The value of a field, or empty. */
    public String field(String name) {
      return head.field(name);
    }

    public JsonNode json() {
      return JsonMapper.shared().readTree(body);
    }

    public String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  public Answer get(String path, String... fields) throws IOException {
    return send("GET", path, "", fields);
  }

  public Answer post(String path, String body, String... fields) throws IOException {
    return send("POST", path, body, fields);
  }

  /** A request with a usual Host unless the fields hold one. */
  public Answer send(String method, String path, String body, String... fields) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    Stream<String> length =
        bytes.length == 0 ? Stream.of() : Stream.of("Content-Length: " + bytes.length);
    String[] all =
        Stream.of(Arrays.stream(fields), length, Stream.of("Connection: close"))
            .flatMap(lines -> lines)
            .toArray(String[]::new);
    try (RawClient client = new RawClient(port)) {
      return answer(client.request(method, path, bytes, all));
    }
  }

  Answer raw(byte[] request) throws IOException {
    try (RawClient client = new RawClient(port)) {
      return answer(client.send(request));
    }
  }

  private static Answer answer(RawClient client) throws IOException {
    return new Answer(client.head(), client.readToEnd());
  }
}
