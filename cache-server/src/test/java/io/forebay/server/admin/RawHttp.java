package io.forebay.server.admin;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sends exactly the bytes of a test, one request per connection. */
public final class RawHttp {

  /** What came back. */
  @SuppressWarnings("ArrayRecordComponent") // Looked at, never compared.
  public record Answer(int status, Map<String, String> fields, byte[] body) {
    public JsonNode json() {
      return JsonMapper.shared().readTree(body);
    }

    public String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  private final int port;

  public RawHttp(int port) {
    this.port = port;
  }

  public Answer get(String path, String... fields) throws IOException {
    return send("GET", path, "", fields);
  }

  public Answer post(String path, String body, String... fields) throws IOException {
    return send("POST", path, body, fields);
  }

  /** A request with a usual Host unless the fields hold one. */
  public Answer send(String method, String path, String body, String... fields) throws IOException {
    StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    boolean hasHost = false;
    for (String field : fields) {
      hasHost |= field.toLowerCase(Locale.ROOT).startsWith("host:");
      head.append(field).append("\r\n");
    }
    if (!hasHost) {
      head.append("Host: 127.0.0.1:").append(port).append("\r\n");
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 0) {
      head.append("Content-Length: ").append(bytes.length).append("\r\n");
    }
    head.append("Connection: close\r\n\r\n");
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    request.writeBytes(bytes);
    return raw(request.toByteArray());
  }

  Answer raw(byte[] request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(request);
      socket.getOutputStream().flush();
      InputStream in = socket.getInputStream();
      String status = line(in);
      Map<String, String> fields = new HashMap<>();
      for (String line = line(in); !line.isEmpty(); line = line(in)) {
        int colon = line.indexOf(':');
        fields.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
      byte[] body = in.readAllBytes();
      return new Answer(Integer.parseInt(status.substring(9, 12)), fields, body);
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("closed after: " + line);
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
