package io.forebay.server.listen;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.server.config.ServerConfig.OverloadConfig;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.RequestHandler;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.loop.LoopLoad;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Exchanges that answer by path, so that a request selects the behaviour. */
public final class ScriptedExchanges implements RequestHandler {

  public static final int CHUNK_LENGTH = 64 * 1024;

  /** {@code METHOD path} of every exchange begun, in order. */
  public final List<String> started = new CopyOnWriteArrayList<>();

  /** Run by the loop when one begins. */
  public volatile Runnable onStart = () -> {};

  /** Reasons given to body receivers that failed. */
  public final LinkedBlockingQueue<String> bodyFailures = new LinkedBlockingQueue<>();

  /** Continuations of {@code /slow}, to be run by the test on the loop. */
  public final LinkedBlockingQueue<Runnable> held = new LinkedBlockingQueue<>();

  public final LinkedBlockingQueue<String> closed = new LinkedBlockingQueue<>();
  public final AtomicLong bytesOffered = new AtomicLong();
  public final AtomicInteger waits = new AtomicInteger();
  public final AtomicLong bodyBytes = new AtomicLong();

  private final LoopLoad load =
      new LoopLoad(new OverloadConfig(Duration.ZERO, Duration.ofSeconds(5)));

  @Override
  public LoopLoad load() {
    return load;
  }

  @Override
  public void start(RequestView request, RequestBody body, ResponseSink sink, ClientInfo client) {
    String path = request.path();
    started.add(request.method() + " " + path);
    onStart.run();
    sink.listener(
        new ResponseSink.Listener() {
          @Override
          public void onWritable() {}

          @Override
          public void onClosed() {
            closed.add(path);
          }
        });
    long number =
        request.query() == null || !request.query().matches("[0-9]+")
            ? 0
            : Long.parseLong(request.query());
    switch (path) {
      case "/show" -> text(sink, show(request, body, client));
      case "/echo" -> echo(request, body, sink);
      case "/big" -> new Big(sink, number, path).begin();
      case "/chunks" -> chunks(sink, (int) number);
      case "/slow" -> held.add(() -> text(sink, "slow " + number));
      case "/slow-body" -> {
        body.receiver(receiver(sink, null));
        held.add(() -> body.demand(Long.MAX_VALUE));
      }
      case "/never" -> {}
      case "/throw" -> throw new IllegalStateException("scripted");
      case "/abort" -> {
        head(sink, 200, 1000);
        sink.body(bytes("0123456789"));
        sink.flush();
        sink.abort(AbortCause.ORIGIN_FAILED);
      }
      case "/abort-unknown" -> {
        head(sink, 200, ResponseSink.LENGTH_UNKNOWN);
        sink.body(bytes("0123456789"));
        sink.flush();
        sink.abort(AbortCause.ORIGIN_FAILED);
      }
      case "/short" -> {
        head(sink, 200, 10);
        sink.body(bytes("12345"));
        sink.end(HeaderFields.EMPTY);
      }
      case "/long" -> {
        head(sink, 200, 4);
        sink.body(bytes("12345"));
      }
      case "/status" -> {
        ByteBuf head = sink.beginHead((int) number);
        head.writeCharSequence("etag: \"x\"\r\n", StandardCharsets.US_ASCII);
        sink.head(head, ResponseSink.LENGTH_ABSENT, true);
      }
      case "/early" -> {
        sink.informational(103, HeaderFields.of("link", "</a.css>; rel=preload"));
        text(sink, "after");
      }
      case "/trailers" -> {
        head(sink, 200, ResponseSink.LENGTH_UNKNOWN);
        sink.body(bytes("body"));
        sink.end(HeaderFields.of("x-sum", "1"));
      }
      case "/skipped" -> {
        head(sink, 200, 4);
        // As of a body whose beginning the client has.
        sink.body(bytes("not this").skipBytes(4));
        sink.end(HeaderFields.EMPTY);
      }
      case "/answer-then-drop" -> {
        body.cancel();
        text(sink, "no need");
      }
      default -> text(sink, path.substring(1));
    }
  }

  private static String show(RequestView request, RequestBody body, ClientInfo client) {
    StringBuilder text = new StringBuilder();
    text.append(request.method())
        .append(' ')
        .append(request.scheme())
        .append(' ')
        .append(request.authority())
        .append(' ')
        .append(request.path())
        .append(' ')
        .append(request.query())
        .append(' ')
        .append(client.protocol())
        .append(' ')
        .append(client.address())
        .append(" known=")
        .append(request.knownFields())
        .append(" body=")
        .append(request.hasBody())
        .append(' ')
        .append(body.lengthBytes())
        .append('\n');
    request
        .fields()
        .forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
    text.append("host=").append(request.fields().first("host")).append('\n');
    text.append("all-x=").append(request.fields().all("x")).append('\n');
    return text.toString();
  }

  private void echo(RequestView request, RequestBody body, ResponseSink sink) {
    head(sink, 200, request.hasBody() ? body.lengthBytes() : 0);
    body.receiver(receiver(sink, body));
    body.demand(CHUNK_LENGTH);
  }

  /** Receives a body and, given its source, writes it back; without, counts it and then answers. */
  private RequestBody.Receiver receiver(ResponseSink sink, @Nullable RequestBody echoed) {
    return new RequestBody.Receiver() {
      @Override
      public void onData(ByteBuf data) {
        int length = data.readableBytes();
        bodyBytes.addAndGet(length);
        if (echoed == null) {
          data.release();
          return;
        }
        sink.body(data);
        sink.flush();
        echoed.demand(length);
      }

      @Override
      public void onEnd(HeaderFields trailers) {
        if (echoed == null) {
          text(sink, "took " + bodyBytes.get());
        } else {
          sink.end(HeaderFields.EMPTY);
        }
      }

      @Override
      public void onFailure(String reason) {
        bodyFailures.add(reason);
      }
    };
  }

  private static void chunks(ResponseSink sink, int count) {
    head(sink, 200, ResponseSink.LENGTH_UNKNOWN);
    for (int i = 0; i < count; i++) {
      sink.body(bytes(pattern(i)));
      if (i % 3 == 0) {
        sink.flush();
      }
    }
    sink.end(HeaderFields.EMPTY);
  }

  /** Chunk {@code index} of {@code /chunks}: lengths on both sides of what is copied. */
  public static String pattern(int index) {
    return String.valueOf((char) ('a' + index % 26)).repeat(1 + index * 977 % 5000);
  }

  static void text(ResponseSink sink, String text) {
    head(sink, 200, text.length());
    if (!text.isEmpty()) {
      sink.body(bytes(text));
    }
    sink.end(HeaderFields.EMPTY);
  }

  private static void head(ResponseSink sink, int status, long length) {
    ByteBuf head = sink.beginHead(status);
    head.writeCharSequence("x-test: yes\r\n", StandardCharsets.US_ASCII);
    sink.head(head, length, false);
  }

  static ByteBuf bytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return PooledByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
  }

  /** A long body, written only while the sink is writable. */
  private final class Big implements ResponseSink.Listener {
    private final ResponseSink sink;
    private final String path;
    private long left;
    private boolean isOver;

    Big(ResponseSink sink, long length, String path) {
      this.sink = sink;
      this.left = length;
      this.path = path;
    }

    void begin() {
      sink.listener(this);
      head(sink, 200, left);
      onWritable();
    }

    @Override
    public void onWritable() {
      while (!isOver && left > 0 && sink.isWritable()) {
        int length = (int) Math.min(left, CHUNK_LENGTH);
        ByteBuf chunk = PooledByteBufAllocator.DEFAULT.directBuffer(length).writeZero(length);
        left -= length;
        bytesOffered.addAndGet(length);
        sink.body(chunk);
      }
      if (isOver) {
        return;
      }
      if (left == 0) {
        isOver = true;
        sink.end(HeaderFields.EMPTY);
      } else {
        waits.incrementAndGet();
        sink.flush();
      }
    }

    @Override
    public void onClosed() {
      isOver = true;
      closed.add(path);
    }
  }
}
