package io.forebay.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** An HTTP/1.1 client over one socket that shows what is on the wire, and reads when it is told. */
final class WireClient implements AutoCloseable {

  /** The head of a response; names in lower case. */
  record Head(int status, List<String> lines) {
    List<String> all(String name) {
      return lines.stream()
          .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
          .map(line -> line.substring(name.length() + 1).strip())
          .toList();
    }

    String field(String name) {
      List<String> values = all(name);
      return values.isEmpty() ? "" : values.getFirst();
    }

    boolean isHit() {
      return field("cache-status").contains("; hit");
    }
  }

  /** A whole response. */
  @SuppressWarnings("ArrayRecordComponent")
  record Reply(Head head, byte[] body) {
    int status() {
      return head.status();
    }

    String field(String name) {
      return head.field(name);
    }

    boolean isHit() {
      return head.isHit();
    }

    String text() {
      return new String(body, StandardCharsets.ISO_8859_1);
    }
  }

  private final Socket socket;
  private final InputStream in;

  /** Of a chunk that was begun with. */
  private int leftOfChunk;

  WireClient(int port) {
    this(port, 0);
  }

  /**
   * Connects.
   *
   * @param receiveBufferBytes 0 for the system's default
   */
  WireClient(int port, int receiveBufferBytes) {
    this(connected(port, receiveBufferBytes));
  }

  /** Over a socket that is connected. */
  WireClient(Socket connected) {
    socket = connected;
    try {
      socket.setSoTimeout(120_000);
      socket.setTcpNoDelay(true);
      // Small, so that what is not asked for stays in the kernel.
      in = new BufferedInputStream(socket.getInputStream(), 1024);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Socket connected(int port, int receiveBufferBytes) {
    try {
      Socket socket = new Socket();
      if (receiveBufferBytes > 0) {
        socket.setReceiveBufferSize(receiveBufferBytes);
      }
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 20_000);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  WireClient send(String text) {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  WireClient send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a request without a body; each field is a whole line without its end. */
  WireClient request(String method, String target, String... fields) {
    StringBuilder head =
        new StringBuilder(method).append(' ').append(target).append(" HTTP/1.1\r\n");
    if (Arrays.stream(fields).noneMatch(field -> field.startsWith("Host:"))) {
      head.append("Host: 127.0.0.1:").append(socket.getPort()).append("\r\n");
    }
    for (String field : fields) {
      head.append(field).append("\r\n");
    }
    return send(head.append("\r\n").toString());
  }

  /** A GET and its whole response. */
  Reply get(String target, String... fields) throws IOException {
    return request("GET", target, fields).reply();
  }

  /** Says that nothing more will be sent. */
  void finish() {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Head head() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      lines.add(line);
    }
    return new Head(Integer.parseInt(lines.getFirst().split(" ", 3)[1]), lines);
  }

  Reply reply() throws IOException {
    Head head = head();
    while (head.status() < 200) {
      head = head();
    }
    return new Reply(head, body(head));
  }

  /** The body that follows a head; a broken transfer is an exception. */
  byte[] body(Head head) throws IOException {
    if (head.status() == 204 || head.status() == 304) {
      return new byte[0];
    }
    if (head.field("transfer-encoding").equals("chunked")) {
      return chunks();
    }
    String length = head.field("content-length");
    return length.isEmpty() ? in.readAllBytes() : bytes(Integer.parseInt(length));
  }

  /**
   * That many bytes of the body of a response, in whichever way its length is told; a chunk may be
   * begun and not read to its end.
   */
  byte[] partOfBody(Head head, int count) throws IOException {
    if (!head.field("transfer-encoding").equals("chunked")) {
      return bytes(count);
    }
    ByteArrayOutputStream part = new ByteArrayOutputStream();
    while (part.size() < count) {
      if (leftOfChunk == 0) {
        leftOfChunk = Integer.parseInt(line(), 16);
      }
      if (leftOfChunk == 0) {
        throw new EOFException("ended after " + part.size() + " of " + count + " bytes");
      }
      int length = Math.min(leftOfChunk, count - part.size());
      part.writeBytes(bytes(length));
      leftOfChunk -= length;
      if (leftOfChunk == 0 && !line().isEmpty()) {
        throw new IOException("a chunk does not end where it should");
      }
    }
    return part.toByteArray();
  }

  /**
   * The body of a response of which that many bytes have been read by {@link #partOfBody}; a broken
   * transfer is an exception.
   */
  byte[] restOfBody(Head head, int seen) throws IOException {
    String length = head.field("content-length");
    if (head.field("transfer-encoding").equals("chunked") && leftOfChunk > 0) {
      ByteArrayOutputStream rest = new ByteArrayOutputStream();
      rest.writeBytes(partOfBody(head, leftOfChunk));
      rest.writeBytes(chunks());
      return rest.toByteArray();
    }
    return seen > 0 && !length.isEmpty() ? bytes(Integer.parseInt(length) - seen) : body(head);
  }

  byte[] bytes(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("ended after " + bytes.length + " of " + count + " bytes");
    }
    return bytes;
  }

  /** Whether there is something to read. */
  boolean hasBytes() {
    try {
      return in.available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what has come by now, without waiting for more. */
  void dropWhatIsThere() {
    try {
      while (in.available() > 0) {
        in.skipNBytes(in.available());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** That many bytes, or fewer where the transfer breaks off. */
  byte[] upTo(int count) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    byte[] part = new byte[64 * 1024];
    try {
      while (read.size() < count) {
        int length = in.read(part, 0, Math.min(part.length, count - read.size()));
        if (length < 0) {
          break;
        }
        read.write(part, 0, length);
      }
    } catch (SocketException e) {
      // A reset is an end too.
    }
    return read.toByteArray();
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int length = Integer.parseInt(line(), 16);
      body.writeBytes(bytes(length));
      if (!line().isEmpty()) {
        throw new IOException("chunk of " + length + " bytes does not end where it should");
      }
      if (length == 0) {
        return body.toByteArray();
      }
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("ended in a line: " + line);
      }
      if (next == '\n') {
        return line.substring(0, line.length() - 1);
      }
      line.append((char) next);
    }
  }

  /**
   * Waits until the server has ended the connection, in whatever way; what comes before is lost.
   */
  void awaitEnd() throws IOException {
    byte[] dropped = new byte[64 * 1024];
    try {
      while (in.read(dropped) >= 0) {
        // Only the end counts.
      }
    } catch (SocketException e) {
      // A reset is an end too.
    }
  }

  /** Leaves without a word, with whatever has not been read. */
  @Override
  public void close() {
    if (socket.isClosed()) {
      return;
    }
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
