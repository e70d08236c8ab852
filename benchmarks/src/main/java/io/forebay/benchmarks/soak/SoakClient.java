package io.forebay.benchmarks.soak;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One connection that sends one request after the other and verifies every byte. It is no {@code
 * RawClient}, which would allocate each body: this one reads all of them into one array.
 */
final class SoakClient implements Runnable {

  private static final int PATIENCE_MILLIS = 60_000;

  /** What all clients of a run have seen. */
  static final class Tally {
    final AtomicLong left;
    final AtomicLong aborted = new AtomicLong();
    final AtomicLong wrong = new AtomicLong();
    final AtomicLong serverErrors = new AtomicLong();
    final AtomicLong hits = new AtomicLong();
    final AtomicLong done = new AtomicLong();

    Tally(long requests) {
      left = new AtomicLong(requests);
    }

    boolean isClean() {
      return aborted.get() == 0 && wrong.get() == 0 && serverErrors.get() == 0;
    }
  }

  private final Objects objects;
  private final int port;
  private final SplittableRandom random;
  private final Tally tally;
  private final byte[] read = new byte[4 << 20];

  SoakClient(Objects objects, int port, SplittableRandom random, Tally tally) {
    this.objects = objects;
    this.port = port;
    this.random = random;
    this.tally = tally;
  }

  @Override
  public void run() {
    while (tally.left.get() > 0) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
        while (tally.left.getAndDecrement() > 0) {
          tally.done.incrementAndGet();
          ask(in, socket.getOutputStream());
        }
      } catch (IOException e) {
        tally.aborted.incrementAndGet();
      }
    }
  }

  private void ask(InputStream in, OutputStream out) throws IOException {
    int object = objects.pick(random);
    int length = objects.length(object);
    double kind = random.nextDouble();
    boolean isHead = kind < 0.03;
    boolean isRange = kind > 0.9;
    int from = isRange ? random.nextInt(length) : 0;
    int to = isRange ? from + 1 + random.nextInt(length - from) : length;
    String request =
        (isHead ? "HEAD /" : "GET /")
            + object
            + " HTTP/1.1\r\nHost: soak.example\r\n"
            + (isRange ? "Range: bytes=" + from + "-" + (to - 1) + "\r\n" : "")
            + "\r\n";
    out.write(request.getBytes(StandardCharsets.ISO_8859_1));
    String status = line(in);
    if (status.length() < 12) {
      throw new IOException("closed without a head");
    }
    int code = Integer.parseInt(status.substring(9, 12));
    int declared = -1;
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      String lower = line.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length: ")) {
        declared = Integer.parseInt(lower.substring("content-length: ".length()));
      } else if (lower.startsWith("cache-status: ") && lower.contains("; hit")) {
        tally.hits.incrementAndGet();
      }
    }
    if (declared < 0 || declared > read.length) {
      tally.wrong.incrementAndGet();
      throw new IOException("no length");
    }
    int bytes = isHead ? 0 : in.readNBytes(read, 0, declared);
    if (!isHead && bytes < declared) {
      throw new IOException("cut short");
    }
    if (code >= 500) {
      tally.serverErrors.incrementAndGet();
      return;
    }
    boolean isPart = code == 206;
    int first = objects.offset(object) + (isPart ? from : 0);
    int end = objects.offset(object) + (isPart ? to : length);
    boolean isRight =
        declared == end - first
            && (code == 200 || (isPart && isRange))
            && (isHead || Arrays.equals(read, 0, bytes, objects.pool, first, end));
    if (!isRight) {
      tally.wrong.incrementAndGet();
    }
  }

  /** Without its end; empty also at the end of the stream. */
  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder(64);
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
