package io.forebay.server.listen;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A client that sends exactly the given bytes and parses responses. */
public final class RawClient implements AutoCloseable {

  public final Socket socket;
  private final InputStream in;

  /** One response; {@code head} holds the status line and the field lines. */
  public record Response(int status, List<String> head, String text) {
    @Nullable
    public String field(String lowerCaseName) {
      for (String line : head) {
        if (line.toLowerCase(Locale.ROOT).startsWith(lowerCaseName + ":")) {
          return line.substring(lowerCaseName.length() + 1).strip();
        }
      }
      return null;
    }
  }

  public RawClient(int port) {
    this(open(port));
  }

  public RawClient(Socket socket) {
    this.socket = socket;
    try {
      socket.setSoTimeout(20_000);
      socket.setTcpNoDelay(true);
      in = new java.io.BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Socket open(int port) {
    try {
      return new Socket(InetAddress.getLoopbackAddress(), port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public RawClient send(String text) {
    try {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends what it can; the peer may have closed already. */
  public RawClient sendLeniently(String text) {
    try {
      return send(text);
    } catch (UncheckedIOException e) {
      return this;
    }
  }

  /** Sends every byte in a segment of its own. */
  public RawClient sendByteByByte(String text) {
    for (int i = 0; i < text.length(); i++) {
      send(text.substring(i, i + 1));
    }
    return this;
  }

  public RawClient get(String target) {
    return send("GET " + target + " HTTP/1.1\r\nHost: a.example\r\n\r\n");
  }

  public Response read() {
    return read(false);
  }

  /** Reads a response; to a HEAD, one without a body. */
  public Response read(boolean isHead) {
    try {
      List<String> head = new ArrayList<>();
      for (String line = line(); !line.isEmpty(); line = line()) {
        head.add(line);
      }
      int status = Integer.parseInt(head.getFirst().split(" ", 3)[1]);
      Response response = new Response(status, head, "");
      if (isHead || status < 200 || status == 204 || status == 304) {
        return response;
      }
      String length = response.field("content-length");
      if ("chunked".equals(response.field("transfer-encoding"))) {
        return new Response(status, head, text(chunks(head)));
      }
      if (length != null) {
        byte[] body = in.readNBytes(Integer.parseInt(length));
        if (body.length != Integer.parseInt(length)) {
          throw new EOFException("body of " + body.length + " instead of " + length);
        }
        return new Response(status, head, text(body));
      }
      return new Response(status, head, text(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private byte[] chunks(List<String> head) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int size = Integer.parseInt(line(), 16);
      if (size == 0) {
        for (String line = line(); !line.isEmpty(); line = line()) {
          head.add("trailer-" + line);
        }
        return body.toByteArray();
      }
      byte[] chunk = in.readNBytes(size);
      if (chunk.length != size || !line().isEmpty()) {
        throw new EOFException("chunk cut off");
      }
      body.writeBytes(chunk);
    }
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      int b = in.read();
      if (b < 0) {
        throw new EOFException("in a line: " + line.toString(StandardCharsets.ISO_8859_1));
      }
      if (b == '\n') {
        String text = line.toString(StandardCharsets.ISO_8859_1);
        if (!text.endsWith("\r")) {
          throw new IOException("bare LF after " + text);
        }
        return text.substring(0, text.length() - 1);
      }
      line.write(b);
    }
  }

  /** The bytes up to the end of the connection; a reset counts as an end. */
  public String readToEnd() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try {
      in.transferTo(all);
    } catch (SocketException e) {
      all.writeBytes("<reset>".getBytes(StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all.toString(StandardCharsets.ISO_8859_1);
  }

  /** Whether the server has ended the connection, waiting for that. */
  public boolean isEnded() {
    return readToEnd().replace("<reset>", "").isEmpty();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
