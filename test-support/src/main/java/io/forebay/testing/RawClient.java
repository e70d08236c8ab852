package io.forebay.testing;

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
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * An HTTP/1.1 client over one socket. It sends exactly the bytes that it is given, reads only when
 * told to, and reads strictly: a line ends with CRLF, a body has the length that its head
 * announces. Each read has a limit in time.
 */
public final class RawClient implements AutoCloseable {

  private static final int TIMEOUT_MILLIS = 120_000;
  private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.[01] [0-9]{3}( .*)?");
  private static final byte[] NO_BODY = {};

  /** The transfer ended before the message did. */
  public static final class BrokenException extends EOFException {
    private static final long serialVersionUID = 1L;

    BrokenException(String message) {
      super(message);
    }
  }

  /**
   * A response, or the head of one.
   *
   * @param lines of the head, the status line first, as they came
   * @param body empty as long as only the head was read
   */
  @SuppressWarnings("ArrayRecordComponent") // Made once, read by tests.
  public record Response(int status, List<String> lines, byte[] body) {
    /** The values of the fields with that name, in order; case does not matter. */
    public List<String> all(String name) {
      String begin = name.toLowerCase(Locale.ROOT) + ":";
      return lines.stream()
          .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(begin))
          .map(line -> line.substring(begin.length()).strip())
          .toList();
    }

    /** The values joined by commas (RFC 9110 §5.3), or empty. */
    public String field(String name) {
      return String.join(", ", all(name));
    }

    public boolean has(String name) {
      return !all(name).isEmpty();
    }

    public String statusLine() {
      return lines.isEmpty() ? "" : lines.getFirst();
    }

    /** The body; every byte is a character. */
    public String text() {
      return new String(body, StandardCharsets.ISO_8859_1);
    }

    /** Whether Cache-Status says that it was stored. */
    public boolean isHit() {
      return field("cache-status").contains("; hit");
    }

    /**
     * Whether Cache-Status says that it was stored, or came from a fetch that was under way: the
     * last client of a fill has all of the body a moment before the object is in place.
     */
    public boolean isFromCache() {
      return isHit() || field("cache-status").contains("; collapsed");
    }

    @Override
    public String toString() {
      return lines + " " + (body.length > 200 ? body.length + " bytes" : text());
    }
  }

  private final Socket socket;
  private final InputStream in;

  private List<String> trailers = List.of();

  /** Of a chunk that was begun with. */
  private int leftOfChunk;

  /** Over a new connection to that port of loopback. */
  public RawClient(int port) {
    this(port, 0);
  }

  /**
   * Connects.
   *
   * @param receiveBufferBytes 0 for the system's default
   */
  public RawClient(int port, int receiveBufferBytes) {
    this(connected(port, receiveBufferBytes));
  }

  /** Over a socket that is connected. */
  public RawClient(Socket connected) {
    socket = connected;
    try {
      socket.setSoTimeout(TIMEOUT_MILLIS);
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

  /** One GET on a connection of its own; each field is a whole line without its end. */
  public static Response get(int port, String target, String... fields) throws IOException {
    return request(port, "GET", target, "", fields);
  }

  /** One HEAD on a connection of its own. */
  public static Response head(int port, String target, String... fields) throws IOException {
    return request(port, "HEAD", target, "", fields);
  }

  /**
   * One request on a connection of its own.
   *
   * @param body every character is a byte; empty for none
   */
  public static Response request(
      int port, String method, String target, String body, String... fields) throws IOException {
    StringBuilder head = head(method, target, port, fields);
    if (!body.isEmpty()) {
      head.append("Content-Length: ").append(body.length()).append("\r\n");
    }
    head.append("Connection: close\r\n\r\n").append(body);
    try (RawClient client = new RawClient(port)) {
      client.send(head.toString());
      return client.reply(method.equals("HEAD"));
    } catch (UncheckedIOException e) {
      // A refused or broken connection, which the caller of a whole request may expect.
      throw e.getCause();
    }
  }

  private static StringBuilder head(String method, String target, int port, String... fields) {
    StringBuilder head =
        new StringBuilder(method).append(' ').append(target).append(" HTTP/1.1\r\n");
    if (Arrays.stream(fields).noneMatch(f -> f.toLowerCase(Locale.ROOT).startsWith("host:"))) {
      head.append("Host: 127.0.0.1:").append(port).append("\r\n");
    }
    for (String field : fields) {
      head.append(field).append("\r\n");
    }
    return head;
  }

  /** Every character is a byte. */
  public RawClient send(String text) {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  public RawClient send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
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

  /** Sends a request without a body; each field is a whole line without its end. */
  public RawClient request(String method, String target, String... fields) {
    return request(method, target, NO_BODY, fields);
  }

  /** The same with a body, in one write; what tells its length is among the fields. */
  public RawClient request(String method, String target, byte[] body, String... fields) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    String head = head(method, target, socket.getPort(), fields).append("\r\n").toString();
    request.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
    request.writeBytes(body);
    return send(request.toByteArray());
  }

  /** A GET and its whole response. */
  public Response get(String target, String... fields) throws IOException {
    return request("GET", target, fields).reply();
  }

  /** Says that nothing more will be sent. */
  public void finish() {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next head, interim ones included; its body stays unread. */
  public Response head() throws IOException {
    String statusLine = line();
    if (!STATUS_LINE.matcher(statusLine).matches()) {
      throw new IOException("not a status line: " + statusLine);
    }
    List<String> lines = new ArrayList<>(List.of(statusLine));
    for (String line = line(); !line.isEmpty(); line = line()) {
      if (line.indexOf(':') < 1) {
        throw new IOException("not a field line: " + line);
      }
      lines.add(line);
    }
    return new Response(Integer.parseInt(statusLine.substring(9, 12)), lines, NO_BODY);
  }

  /** The next final response. */
  public Response reply() throws IOException {
    return reply(false);
  }

  /**
   * The next final response.
   *
   * @param isHead whether the request was a HEAD, so that no body follows
   */
  public Response reply(boolean isHead) throws IOException {
    Response head = head();
    while (head.status() < 200 && head.status() != 101) {
      head = head();
    }
    return isHead ? head : new Response(head.status(), head.lines(), body(head));
  }

  /** The body that follows a head; a broken transfer is an exception. */
  public byte[] body(Response head) throws IOException {
    if (head.status() == 101 || head.status() == 204 || head.status() == 304) {
      return NO_BODY;
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
  public byte[] partOfBody(Response head, int count) throws IOException {
    if (!head.field("transfer-encoding").equals("chunked")) {
      return bytes(count);
    }
    ByteArrayOutputStream part = new ByteArrayOutputStream();
    while (part.size() < count) {
      if (leftOfChunk == 0) {
        leftOfChunk = chunkLength();
      }
      if (leftOfChunk == 0) {
        throw new BrokenException("ended after " + part.size() + " of " + count + " bytes");
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
  public byte[] restOfBody(Response head, int seen) throws IOException {
    String length = head.field("content-length");
    if (head.field("transfer-encoding").equals("chunked") && leftOfChunk > 0) {
      ByteArrayOutputStream rest = new ByteArrayOutputStream();
      rest.writeBytes(partOfBody(head, leftOfChunk));
      rest.writeBytes(chunks());
      return rest.toByteArray();
    }
    return seen > 0 && !length.isEmpty() ? bytes(Integer.parseInt(length) - seen) : body(head);
  }

  /** That many bytes. */
  public byte[] bytes(int count) throws IOException {
    byte[] bytes = new byte[count];
    int read = in.readNBytes(bytes, 0, count);
    if (read < count) {
      throw new BrokenException("ended after " + read + " of " + count + " bytes");
    }
    return bytes;
  }

  /** Whether there is something to read. */
  public boolean hasBytes() {
    try {
      return in.available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what has come by now, without waiting for more. */
  public void dropWhatIsThere() {
    try {
      while (in.available() > 0) {
        in.skipNBytes(in.available());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** That many bytes, or fewer where the transfer breaks off. */
  public byte[] upTo(int count) throws IOException {
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
    return chunks(() -> {});
  }

  /** A chunked body; tells when the first chunk has come. */
  public byte[] chunks(Runnable onFirst) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int length = chunkLength();
      if (length == 0) {
        List<String> last = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
          if (line.indexOf(':') < 1) {
            throw new IOException("not a trailer field: " + line);
          }
          last.add(line);
        }
        trailers = last;
        return body.toByteArray();
      }
      boolean isFirst = body.size() == 0;
      body.writeBytes(bytes(length));
      if (isFirst) {
        onFirst.run();
      }
      if (!line().isEmpty()) {
        throw new IOException("chunk of " + length + " bytes does not end where it should");
      }
    }
  }

  /** The trailer fields of the last chunked body, as they came. */
  public List<String> trailers() {
    return trailers;
  }

  private int chunkLength() throws IOException {
    return Integer.parseInt(line().split(";", 2)[0].strip(), 16);
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new BrokenException("ended in a line: " + line);
      }
      line.write(next);
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    if (!text.endsWith("\r")) {
      throw new IOException("line without CR: " + text);
    }
    return text.substring(0, text.length() - 1);
  }

  /** Everything until the peer closes; a reset counts as that. */
  public byte[] readToEnd() throws IOException {
    return upTo(Integer.MAX_VALUE);
  }

  /** Whether the peer closes, before the time limit of reads, without a byte more. */
  public boolean isClosedByPeer() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketTimeoutException open) {
      return false;
    } catch (SocketException reset) {
      return true;
    }
  }

  /** Sets the time limit of each read. */
  public RawClient timeoutMillis(int millis) throws IOException {
    socket.setSoTimeout(millis);
    return this;
  }

  /**
   * Waits until the server has ended the connection, in whatever way; what comes before is lost.
   */
  public void awaitEnd() throws IOException {
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
