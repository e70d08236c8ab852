package io.forebay.server;

import io.forebay.testing.Await;
import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http3.DefaultHttp3Headers;
import io.netty.handler.codec.http3.Http3Headers;
import io.netty.util.AsciiString;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A client of a script: one connection, one request at a time, over one of the protocols. */
sealed interface ScriptClient extends AutoCloseable {

  /** A protocol that scripts run over. */
  enum Protocol {
    HTTP_1_1,
    HTTP_2,
    HTTP_3;

    boolean isHttp1() {
      return this == HTTP_1_1;
    }

    ScriptClient connect(Edge edge) throws Exception {
      return switch (this) {
        case HTTP_1_1 -> new Http1(new RawClient(edge.port()));
        case HTTP_2 -> new Http2(new Http2Client(edge.tlsPort(), edge.authority(), 1 << 20));
        case HTTP_3 -> new Http3(new Http3Client(edge.tlsPort(), edge.authority()));
      };
    }

    String scheme() {
      return this == HTTP_1_1 ? "http" : "https";
    }

    /** What clients ask for: another name for each, so that nothing stored is shared. */
    String authority() {
      return switch (this) {
        case HTTP_1_1 -> "one.test";
        case HTTP_2 -> "two.test";
        case HTTP_3 -> "three.test";
      };
    }
  }

  /** Sends a request; fields as {@code Name: value}, the host among them. */
  void send(String method, String target, List<String> fields, byte[] body) throws Exception;

  /** The next head, be it informational. */
  Response head() throws Exception;

  /** That many bytes of the body. */
  byte[] bytes(Response head, int count) throws Exception;

  /** What is left of the body of that response, whose end must be one. */
  byte[] rest(Response head, int seen) throws Exception;

  /** Whether the response is broken off before its end; what came before is lost. */
  boolean isBrokenOff(Response head, int seen) throws Exception;

  @Override
  void close();

  /** Over a socket of its own. */
  record Http1(RawClient client) implements ScriptClient {
    @Override
    public void send(String method, String target, List<String> fields, byte[] body) {
      List<String> all = new ArrayList<>(fields);
      if (body.length > 0) {
        all.add("Content-Length: " + body.length);
      }
      client.request(method, target, all.toArray(new String[0]));
      client.send(body);
    }

    @Override
    public Response head() throws IOException {
      return client.head();
    }

    @Override
    public byte[] bytes(Response head, int count) throws IOException {
      return client.partOfBody(head, count);
    }

    @Override
    public byte[] rest(Response head, int seen) throws IOException {
      return client.restOfBody(head, seen);
    }

    @Override
    public boolean isBrokenOff(Response head, int seen) throws IOException {
      try {
        byte[] ignored = client.restOfBody(head, seen);
        return false;
      } catch (EOFException | SocketException e) {
        return true;
      }
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** A stream for each request on one connection. */
  final class Http2 implements ScriptClient {
    private final Http2Client client;
    private Http2Client.@Nullable Answer answer;
    private int taken;

    Http2(Http2Client client) {
      this.client = client;
    }

    @Override
    public void send(String method, String target, List<String> fields, byte[] body)
        throws Exception {
      Http2Headers headers =
          new DefaultHttp2Headers(false).method(method).scheme("https").path(target);
      for (String field : fields) {
        String name = field.substring(0, field.indexOf(':')).toLowerCase(Locale.ROOT);
        String value = field.substring(name.length() + 1).strip();
        if (name.equals("host")) {
          headers.authority(value);
        } else {
          headers.add(name, value);
        }
      }
      taken = 0;
      answer = client.open(headers, body.length == 0);
      if (body.length > 0) {
        client.data(answer, new String(body, StandardCharsets.ISO_8859_1), true);
      }
    }

    private Http2Client.Answer answer() {
      Http2Client.Answer current = answer;
      if (current == null) {
        throw new AssertionError("no request was sent");
      }
      return current;
    }

    @Override
    public Response head() throws Exception {
      Http2Headers headers = answer().head();
      List<String> lines = new ArrayList<>();
      headers.forEach(field -> lines.add(field.getKey() + ": " + field.getValue()));
      return new Response(Integer.parseInt(headers.status().toString()), lines, new byte[0]);
    }

    @Override
    public byte[] bytes(Response head, int count) {
      Http2Client.Answer current = answer();
      Await.until("a body of " + (taken + count), () -> current.body.length() >= taken + count);
      taken += count;
      return TestOrigin.ascii(current.body.toString().substring(taken - count, taken));
    }

    @Override
    public byte[] rest(Response head, int seen) throws Exception {
      String end = answer().end();
      if (!end.equals("end")) {
        throw new EOFException(end);
      }
      return TestOrigin.ascii(answer().body.toString().substring(seen));
    }

    @Override
    public boolean isBrokenOff(Response head, int seen) throws Exception {
      return !answer().end().equals("end");
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** The same over QUIC. */
  final class Http3 implements ScriptClient {
    private final Http3Client client;
    private Http3Client.@Nullable Answer answer;
    private int taken;

    Http3(Http3Client client) {
      this.client = client;
    }

    @Override
    public void send(String method, String target, List<String> fields, byte[] body)
        throws Exception {
      Http3Headers headers =
          new DefaultHttp3Headers(false)
              .method(AsciiString.of(method))
              .scheme("https")
              .path(target);
      for (String field : fields) {
        String name = field.substring(0, field.indexOf(':')).toLowerCase(Locale.ROOT);
        String value = field.substring(name.length() + 1).strip();
        if (name.equals("host")) {
          headers.authority(value);
        } else {
          headers.add(name, value);
        }
      }
      taken = 0;
      answer = client.open(headers, body.length == 0);
      if (body.length > 0) {
        client.data(answer, new String(body, StandardCharsets.ISO_8859_1), true);
      }
    }

    private Http3Client.Answer answer() {
      Http3Client.Answer current = answer;
      if (current == null) {
        throw new AssertionError("no request was sent");
      }
      return current;
    }

    @Override
    public Response head() throws Exception {
      Http3Headers headers = answer().head();
      List<String> lines = new ArrayList<>();
      headers.forEach(field -> lines.add(field.getKey() + ": " + field.getValue()));
      return new Response(Integer.parseInt(headers.status().toString()), lines, new byte[0]);
    }

    @Override
    public byte[] bytes(Response head, int count) {
      Http3Client.Answer current = answer();
      Await.until("a body of " + (taken + count), () -> current.body.length() >= taken + count);
      taken += count;
      return TestOrigin.ascii(current.body.toString().substring(taken - count, taken));
    }

    @Override
    public byte[] rest(Response head, int seen) throws Exception {
      String end = answer().end();
      if (!end.equals("end")) {
        throw new EOFException(end);
      }
      return TestOrigin.ascii(answer().body.toString().substring(seen));
    }

    @Override
    public boolean isBrokenOff(Response head, int seen) throws Exception {
      return !answer().end().equals("end");
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
