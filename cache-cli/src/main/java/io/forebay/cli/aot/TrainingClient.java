package io.forebay.cli.aot;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A keep-alive HTTP/1.1 connection that repeats a fixed round of requests: mostly small hits, some
 * pipelined, with heads of programs and of browsers, and occasionally other kinds. One thread.
 */
final class TrainingClient implements AutoCloseable {
  private static final int BUFFER_BYTES = 256 << 10;
  private static final int ROUND = 64;
  private static final int PIPELINED = 4;
  private static final int SMALL_OBJECTS = 200;
  private static final String BROWSER =
      "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
          + " Chrome/142.0.0.0 Safari/537.36\r\n"
          + "Accept: image/avif,image/webp,*/*;q=0.8\r\n"
          + "Accept-Encoding: gzip, deflate, br, zstd\r\n"
          + "Accept-Language: en-GB,en;q=0.9\r\n"
          + "Sec-Fetch-Mode: no-cors\r\n"
          + "Referer: https://www.example.com/articles/a-title?from=front\r\n"
          + "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; lang=en\r\n";

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final String missing;
  private long asked;

  /**
   * A client.
   *
   * @param name part of the URLs that only this one asks for, once each
   */
  TrainingClient(Socket socket, String name) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
    this.out = socket.getOutputStream();
    this.missing = name;
  }

  /** Makes the next request of the round, or the next few where they go out together. */
  void ask() throws IOException {
    long number = asked++;
    String small = "/1024/" + number % SMALL_OBJECTS;
    switch ((int) (number % ROUND)) {
      case 3, 35 -> exchange("GET", "/20480/" + number % SMALL_OBJECTS, BROWSER);
      case 7, 39 -> exchange("GET", small, "If-None-Match: " + TrainingOrigin.ENTITY_TAG + "\r\n");
      case 11, 43 -> exchange("HEAD", small, "");
      case 15 -> exchange("GET", "/1048576/" + number % 4, "");
      case 19 -> exchange("GET", "/1048576/0", "Range: bytes=1000-200000\r\n");
      case 23, 55 -> exchange("GET", "/4096/" + missing + number, BROWSER);
      case 27 -> exchange("GET", "/300000/" + missing + number, "");
      case 31, 47, 63 -> pipeline(small);
      default -> exchange("GET", small, number % 2 == 0 ? "" : BROWSER);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private void exchange(String method, String path, String fields) throws IOException {
    out.write(head(method, path, fields).getBytes(StandardCharsets.US_ASCII));
    read(method.equals("HEAD"));
  }

  private void pipeline(String path) throws IOException {
    out.write(head("GET", path, "").repeat(PIPELINED).getBytes(StandardCharsets.US_ASCII));
    for (int i = 0; i < PIPELINED; i++) {
      read(false);
    }
  }

  private static String head(String method, String path, String fields) {
    return method + " " + path + " HTTP/1.1\r\nHost: www.example.com\r\n" + fields + "\r\n";
  }

  private void read(boolean isHead) throws IOException {
    String status = line();
    if (!status.startsWith("HTTP/1.1 20") && !status.startsWith("HTTP/1.1 304")) {
      throw new IOException("the edge answered " + status);
    }
    long length = 0;
    for (String line = line(); !line.isEmpty(); line = line()) {
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
      }
    }
    if (!isHead && !status.startsWith("HTTP/1.1 304")) {
      in.skipNBytes(length);
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("connection closed by the edge");
      }
      if (b != '\r') {
        line.append((char) b);
      }
    }
    return line.toString();
  }
}
