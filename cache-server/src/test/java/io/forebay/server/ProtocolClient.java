package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.handler.codec.Headers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Sends requests to a node by one of the protocols and reads the heads of the answers. */
interface ProtocolClient extends AutoCloseable {

  /** What came back last, interim responses left out; names of fields are in lower case. */
  record Answer(int status, List<String> lines) {

    List<String> all(String lowerCaseName) {
      return lines.stream()
          .filter(line -> line.startsWith(lowerCaseName + ": "))
          .map(line -> line.substring(lowerCaseName.length() + 2))
          .toList();
    }

    boolean isHit() {
      return all("cache-status").toString().contains("; hit");
    }
  }

  /** Waits for the end of the answer. */
  Answer ask(String method, String path, String... nameAndValue) throws Exception;

  @Override
  void close();

  /** By {@code plain}, {@code TLS}, {@code HTTP/2} or {@code HTTP/3}. */
  static ProtocolClient connect(Edge edge, String protocol) throws Exception {
    return switch (protocol) {
      case "HTTP/2" -> new OverHttp2(new Http2Client(edge.tlsPort(), edge.authority(), 1 << 20));
      case "HTTP/3" -> new OverHttp3(new Http3Client(edge.tlsPort(), edge.authority()));
      case "TLS" -> new OverHttp1(edge.connectTls());
      default -> new OverHttp1(edge.connect());
    };
  }

  /** HTTP/1.1, plain or over TLS. */
  record OverHttp1(RawClient client) implements ProtocolClient {

    @Override
    public Answer ask(String method, String path, String... nameAndValue) throws IOException {
      List<String> fields = new ArrayList<>(List.of("Host: a.example"));
      for (int i = 0; i < nameAndValue.length; i += 2) {
        fields.add(nameAndValue[i] + ": " + nameAndValue[i + 1]);
      }
      client.request(method, path, fields.toArray(String[]::new));
      Response head = client.head();
      while (head.status() < 200) {
        head = client.head();
      }
      if (!method.equals("HEAD")) {
        client.body(head);
      }
      List<String> lines = new ArrayList<>();
      for (String line : head.lines()) {
        int colon = line.indexOf(':');
        if (colon > 0) {
          lines.add(
              line.substring(0, colon).toLowerCase(Locale.ROOT)
                  + ": "
                  + line.substring(colon + 1).strip());
        }
      }
      return new Answer(head.status(), lines);
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** HTTP/2 over TLS. */
  record OverHttp2(Http2Client client) implements ProtocolClient {

    @Override
    public Answer ask(String method, String path, String... nameAndValue) throws Exception {
      Http2Client.Answer answer =
          client.open(with(Http2Client.request(method, path), nameAndValue), true);
      Answer head = answered(answer.head());
      while (head.status() < 200) {
        head = answered(answer.head());
      }
      assertEquals("end", answer.end());
      return head;
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** HTTP/3. */
  record OverHttp3(Http3Client client) implements ProtocolClient {

    @Override
    public Answer ask(String method, String path, String... nameAndValue) throws Exception {
      Http3Client.Answer answer =
          client.open(with(Http3Client.request(method, path), nameAndValue), true);
      Answer head = answered(answer.head());
      while (head.status() < 200) {
        head = answered(answer.head());
      }
      assertEquals("end", answer.end());
      return head;
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private static <H extends Headers<CharSequence, CharSequence, H>> H with(
      H request, String... nameAndValue) {
    for (int i = 0; i < nameAndValue.length; i += 2) {
      request.add(nameAndValue[i], nameAndValue[i + 1]);
    }
    return request;
  }

  private static Answer answered(Headers<CharSequence, CharSequence, ?> head) {
    List<String> lines = new ArrayList<>();
    head.forEach(field -> lines.add(field.getKey() + ": " + field.getValue()));
    return new Answer(Integer.parseInt(head.get(":status").toString()), lines);
  }
}
