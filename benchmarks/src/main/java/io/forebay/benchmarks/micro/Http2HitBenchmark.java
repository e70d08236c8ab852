package io.forebay.benchmarks.micro;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A hit over HTTP/2, from the bytes of a HEADERS frame to those of the response's HEADERS and DATA,
 * on one connection without a socket, a stream a request, one request a read. As {@link
 * HotPathBenchmark} for HTTP/1.1; there is no fast lane, so it makes objects.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar Http2HitBenchmark -prof gc</pre>
 */
public class Http2HitBenchmark extends Bench {
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int WINDOW_UPDATE = 8;
  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int FRAME_HEADER = 9;
  private static final int STREAM_OFFSET = 5;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int FIRST_WINDOW = 65_535;

  /** As often the client gives back the window of the connection. */
  private static final int REQUESTS_A_CREDIT = 64;

  /** The first octet of a field block: the static table's {@code :status: 200}. */
  private static final int STATUS_200 = 0x88;

  /** An edge that has all objects, and a client of it. */
  @State(Scope.Thread)
  public static class Warm {
    @Param({"1", "10240"})
    int bodyBytes;

    int objects = 1000;
    private byte[][] requests = new byte[0][];
    private byte[] credit = new byte[0];
    private ZipfDraw draw = new ZipfDraw(1, 0.9);
    private int newestStream = -1;
    private int asked;
    private @Nullable EmbeddedEdge edge;
    private @Nullable EmbeddedChannel channel;

    @Setup
    public void fill() {
      EmbeddedEdge opened = new EmbeddedEdge(bodyBytes);
      edge = opened;
      requests = new byte[objects][];
      draw = new ZipfDraw(objects, 0.9);
      for (int i = 0; i < objects; i++) {
        String path = "/objects/" + bodyBytes + "/" + i;
        requests[i] = frame(HEADERS, END_STREAM | END_HEADERS, 0, fields(path));
        for (String result : new String[] {"fwd=uri-miss", "; hit"}) {
          String answer = opened.exchangeText(EmbeddedEdge.get(path));
          if (!answer.startsWith("HTTP/1.1 200 ") || !answer.contains(result)) {
            throw new IllegalStateException(answer);
          }
        }
      }
      credit = frame(WINDOW_UPDATE, 0, 0, number(REQUESTS_A_CREDIT * bodyBytes));
      EmbeddedChannel connected = opened.acceptedHttp2();
      channel = connected;
      ByteArrayOutputStream first = new ByteArrayOutputStream();
      first.writeBytes(PREFACE);
      byte[] largest = number(Integer.MAX_VALUE);
      byte[] setting = {0, INITIAL_WINDOW_SIZE, largest[0], largest[1], largest[2], largest[3]};
      first.writeBytes(frame(SETTINGS, 0, 0, setting));
      first.writeBytes(frame(WINDOW_UPDATE, 0, 0, number(Integer.MAX_VALUE - FIRST_WINDOW)));
      first.writeBytes(frame(SETTINGS, ACK, 0, new byte[0]));
      long ignored = EmbeddedEdge.exchange(connected, first.toByteArray());
      check(connected);
    }

    /** The whole answer to a request is read once. */
    private void check(EmbeddedChannel connected) {
      long ignored = EmbeddedEdge.exchange(connected, new byte[0]);
      byte[] request = request(0);
      ByteBuf in = connected.alloc().directBuffer().writeBytes(request);
      connected.pipeline().fireChannelRead(in).fireChannelReadComplete();
      connected.runPendingTasks();
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      while (connected.readOutbound() instanceof ByteBuf out) {
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes).release();
        answer.writeBytes(bytes);
      }
      ByteBuffer frames = ByteBuffer.wrap(answer.toByteArray());
      long dataBytes = 0;
      boolean isOk = false;
      while (frames.remaining() >= FRAME_HEADER) {
        int word = frames.getInt();
        int length = word >>> Byte.SIZE;
        int type = word & 0xff;
        int at = frames.position() + FRAME_HEADER - Integer.BYTES;
        isOk |= type == HEADERS && (frames.get(at) & 0xff) == STATUS_200;
        dataBytes += type == DATA ? length : 0;
        frames.position(at + length);
      }
      if (!isOk || dataBytes != bodyBytes) {
        throw new IllegalStateException("200: " + isOk + ", " + dataBytes + " bytes of DATA");
      }
    }

    private byte[] request(int object) {
      newestStream += 2;
      byte[] request = requests[object];
      byte[] stream = number(newestStream);
      System.arraycopy(stream, 0, request, STREAM_OFFSET, stream.length);
      return request;
    }

    /** Gives the bytes on the wire. */
    long hit() {
      EmbeddedChannel connected = channel;
      if (connected == null) {
        throw new IllegalStateException("not open");
      }
      if (++asked % REQUESTS_A_CREDIT == 0) {
        long ignored = EmbeddedEdge.exchange(connected, credit);
      }
      return EmbeddedEdge.exchange(connected, request(draw.next()));
    }

    /** Whether the edge has left the connection open. */
    boolean isConnected() {
      return channel != null && channel.isOpen();
    }

    @TearDown
    public void close() {
      if (channel != null) {
        boolean ignored = channel.finishAndReleaseAll();
      }
      if (edge != null) {
        edge.close();
      }
    }
  }

  private static byte[] number(int value) {
    return new byte[] {
      (byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value
    };
  }

  private static byte[] frame(int type, int flags, int stream, byte[] payload) {
    ByteBuffer frame = ByteBuffer.allocate(FRAME_HEADER + payload.length);
    frame
        .putInt((payload.length << Byte.SIZE) | type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload);
    return frame.array();
  }

  /** GET and http from the static table, path and authority as literals that are not indexed. */
  private static byte[] fields(String path) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.write(0x82);
    block.write(0x86);
    for (String value : new String[] {path, "edge.example.com"}) {
      block.write(value.equals(path) ? 4 : 1);
      block.write(value.length());
      block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }
    return block.toByteArray();
  }

  @Benchmark
  public long hit(Warm warm) {
    return warm.hit();
  }
}
