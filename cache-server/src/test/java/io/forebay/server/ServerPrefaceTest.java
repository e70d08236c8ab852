package io.forebay.server;

import io.netty.handler.codec.http2.Http2CodecUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that begin with the preface of HTTP/2 in plain text, and go away at any point of it. */
@Tag("slow")
final class ServerPrefaceTest {

  private static final int CONNECTIONS = 1_000;

  /** How a client leaves. */
  private enum End {
    CLOSE,
    RESET,
    HALF_CLOSE,
    AFTER_ANSWER
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noBufferIsLeftOfAPrefaceThatIsCut(boolean isH2c, @TempDir Path directory)
      throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    byte[] preface = new byte[Http2CodecUtil.connectionPrefaceBuf().readableBytes() + 9];
    // An empty SETTINGS frame behind it: type 4.
    Http2CodecUtil.connectionPrefaceBuf().readBytes(preface, 0, preface.length - 9);
    preface[preface.length - 6] = 4;
    try (TestOrigin origin = new TestOrigin();
        Edge edge =
            Edge.start(
                directory,
                "32MiB",
                "  - {name: cut, address: \"127.0.0.1:0\", h2c: "
                    + isH2c
                    + "}\n"
                    + Edge.origins(origin.url()))) {
      for (int i = 0; i < CONNECTIONS; i++) {
        int length = i % (preface.length + 1);
        End end = End.values()[random.nextInt(End.values().length)];
        leave(edge.port("cut"), preface, length, random.nextInt(length + 1), end);
      }
      // That no buffer is left, its end checks.
    }
  }

  private static void leave(int port, byte[] bytes, int length, int split, End end)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(50_000);
      socket.getOutputStream().write(bytes, 0, split);
      socket.getOutputStream().write(bytes, split, length - split);
      switch (end) {
        case CLOSE -> {}
        case RESET -> socket.setSoLinger(true, 0);
        case HALF_CLOSE -> {
          socket.shutdownOutput();
          drain(socket);
        }
        case AFTER_ANSWER -> {
          if (length == bytes.length) {
            int first = socket.getInputStream().read();
            if (first < 0) {
              throw new IOException("closed without an answer");
            }
          }
        }
      }
    }
  }

  private static void drain(Socket socket) {
    try (InputStream in = socket.getInputStream()) {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // Reset: the node left bytes unread.
    }
  }
}
