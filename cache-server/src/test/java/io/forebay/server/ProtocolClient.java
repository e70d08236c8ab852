package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.handler.codec.Headers;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.TrustManagerFactory;

/** Sends requests to a node by one of the protocols and reads the heads of the answers. */
interface ProtocolClient extends AutoCloseable {

  /** What came back last, interim responses left out; names of fields are in lower case. */
  record Answer(int status, List<String> lines, String body) {

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
  default Answer ask(String method, String path, String... nameAndValue) throws Exception {
    return send(method, path, "", nameAndValue);
  }

  /** The same with a body, whose length is not declared; without one if it is empty. */
  Answer send(String method, String path, String body, String... nameAndValue) throws Exception;

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

  /** The same with that name in the ClientHello, whatever certificate the node has. */
  static ProtocolClient connect(Edge edge, String protocol, String serverName) throws Exception {
    TrustManagerFactory anybody = InsecureTrustManagerFactory.INSTANCE;
    return switch (protocol) {
      case "HTTP/2" ->
          new OverHttp2(
              new Http2Client(
                  edge.tlsPort(), serverName, 1 << 20, builder -> builder.trustManager(anybody)));
      case "HTTP/3" ->
          new OverHttp3(
              new Http3Client(
                  edge.tlsPort(), serverName, 1 << 20, builder -> builder.trustManager(anybody)));
      case "TLS" ->
          new OverHttp1(
              new RawClient(
                  edge.tlsClientContext()
                      .getSocketFactory()
                      .createSocket(
                          new Socket(InetAddress.getLoopbackAddress(), edge.tlsPort()),
                          serverName,
                          edge.tlsPort(),
                          true)));
      default -> new OverHttp1(edge.connect());
    };
  }

  /** HTTP/1.1, plain or over TLS. */
  record OverHttp1(RawClient client) implements ProtocolClient {

    @Override
    public Answer send(String method, String path, String body, String... nameAndValue)
        throws IOException {
      List<String> fields = new ArrayList<>(List.of("Host: a.example"));
      for (int i = 0; i < nameAndValue.length; i += 2) {
        fields.add(nameAndValue[i] + ": " + nameAndValue[i + 1]);
      }
      if (!body.isEmpty()) {
        fields.add("Transfer-Encoding: chunked");
      }
      client.request(method, path, fields.toArray(String[]::new));
      if (!body.isEmpty()) {
        client.send(Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n");
      }
      Response head = client.head();
      while (head.status() < 200) {
        head = client.head();
      }
      byte[] content = method.equals("HEAD") ? new byte[0] : client.body(head);
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
      return new Answer(head.status(), lines, new String(content, StandardCharsets.ISO_8859_1));
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** HTTP/2 over TLS. */
  record OverHttp2(Http2Client client) implements ProtocolClient {

    @Override
    public Answer send(String method, String path, String body, String... nameAndValue)
        throws Exception {
      Http2Client.Answer answer =
          client.open(with(Http2Client.request(method, path), nameAndValue), body.isEmpty());
      if (!body.isEmpty()) {
        client.data(answer, body, true);
      }
      Answer head = answered(answer.head());
      while (head.status() < 200) {
        head = answered(answer.head());
      }
      assertEquals("end", answer.end());
      return new Answer(head.status(), head.lines(), answer.body.toString());
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** HTTP/3. */
  record OverHttp3(Http3Client client) implements ProtocolClient {

    @Override
    public Answer send(String method, String path, String body, String... nameAndValue)
        throws Exception {
      Http3Client.Answer answer =
          client.open(with(Http3Client.request(method, path), nameAndValue), body.isEmpty());
      if (!body.isEmpty()) {
        client.data(answer, body, true);
      }
      Answer head = answered(answer.head());
      while (head.status() < 200) {
        head = answered(answer.head());
      }
      assertEquals("end", answer.end());
      return new Answer(head.status(), head.lines(), answer.body.toString());
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
    return new Answer(Integer.parseInt(head.get(":status").toString()), lines, "");
  }
}
