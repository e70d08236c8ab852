package io.forebay.benchmarks.attack;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Requests whose end or whose fields two programs could read differently, one after the other, each
 * with a second request behind it that must not be read. A program of its own:
 *
 * <pre>
 * java -cp benchmarks/target/benchmarks.jar io.forebay.benchmarks.attack.FramingAttack \\
 *     127.0.0.1:8080 10
 * </pre>
 */
final class FramingAttack {
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final String POST = "POST /attacked HTTP/1.1\r\nHost: localhost\r\n";
  private static final String GET = "GET /attacked HTTP/1.1\r\n";
  private static final String SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";

  /** Each must be refused; {@code HostileRequestIT} has many more, and looks at the origin too. */
  private static final List<String> REQUESTS =
      List.of(
          POST + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding: xchunked\r\n\r\n",
          POST + "Transfer-Encoding: chunked, identity\r\n\r\n",
          POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
          POST + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
          POST + "Content-Length: 5, 5\r\n\r\nabcde",
          POST + "Content-Length: +5\r\n\r\nabcde",
          POST + "Content-Length: 0x5\r\n\r\nabcde",
          POST + "Content-Length: 18446744073709551621\r\n\r\nabcde",
          POST + "Transfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n",
          POST + "Transfer-Encoding: chunked\r\n\r\n2\nab\r\n0\r\n\r\n",
          GET + "Host: localhost\r\nX : y\r\n\r\n",
          GET + "Host: localhost\r\nX: a\0b\r\n\r\n",
          GET + "Host: localhost\r\nX: a\rHost: other\r\n\r\n",
          GET + "Host: localhost\r\nX: a\r\n b\r\n\r\n",
          "\0" + GET + "Host: localhost\r\n\r\n",
          "GET /attacked HTTP/9.9\r\nHost: localhost\r\n\r\n");

  private FramingAttack() {}

  public static void main(String[] arguments) throws IOException {
    int colon = arguments[0].lastIndexOf(':');
    InetSocketAddress target =
        new InetSocketAddress(
            arguments[0].substring(0, colon), Integer.parseInt(arguments[0].substring(colon + 1)));
    long end = System.nanoTime() + Long.parseLong(arguments[1]) * 1_000_000_000L;
    long sent = 0;
    long refused = 0;
    long accepted = 0;
    while (System.nanoTime() < end) {
      String answer = answer(target, REQUESTS.get((int) (sent++ % REQUESTS.size())));
      if (answer.startsWith("HTTP/1.1 4") || answer.startsWith("HTTP/1.1 5")) {
        refused++;
      }
      if (answer.contains("HTTP/1.1 2")) {
        accepted++;
      }
    }
    System.out.printf(
        "%d malformed requests, %d refused with a status, %d with a response 2xx%n",
        sent, refused, accepted);
  }

  /** All that comes back until the connection ends. */
  private static String answer(InetSocketAddress target, String request) throws IOException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(target, TIMEOUT_MILLIS);
      socket.getOutputStream().write((request + SMUGGLED).getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (SocketException reset) {
      return "";
    }
  }
}
