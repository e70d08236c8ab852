package io.forebay.server.listen.connection;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.server.accesslog.RequestLog;
import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.exchange.PlainPassing;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.RequestHandler;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.listen.ConnectionInitializer;
import io.forebay.server.listen.ListenFixture;
import io.forebay.server.listen.StrictHttp1;
import io.forebay.server.listen.StrictHttp1.Message;
import io.forebay.server.loop.Loop;
import io.forebay.server.loop.LoopLoad;
import io.forebay.server.origin.OriginWire;
import io.forebay.server.origin.OriginWire.Connection;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the fuzzer calls with the bytes of one HTTP/1.1 connection of a client. They go through the
 * handlers of a listener, what is let through goes to an origin by the handlers towards those, all
 * in memory, and then three have to agree on where each message ends: we ourselves, by what the
 * exchange was told; {@link StrictHttp1} of the bytes that the origin got; and the same of the
 * bytes that the client sent.
 *
 * <p>The first byte says how the client's bytes come (whole, or so many at a time) and whether the
 * origin answers before it has the body.
 */
public final class FramingTarget {

  private static final int IMPATIENT = 0x80;
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  private static final String TOO_LARGE =
      "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n";
  private static final String CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

  private static final ServerConfig CONFIG =
      ListenFixture.config(
          ListenFixture.LIMITS, ListenFixture.TIMEOUTS, "auto", 1, ListenFixture.plain(0));
  private static final PlainPassing PASSING = new PlainPassing(CONFIG.forwarding());

  private FramingTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] data) {
    check(data, bytes -> bytes);
  }

  /**
   * Checks one connection.
   *
   * @param onTheWay what becomes of the bytes towards the origin; they come there as they are,
   *     unless it is to be shown that it would be noticed
   */
  public static void check(byte[] data, UnaryOperator<byte[]> onTheWay) {
    if (data.length == 0) {
      return;
    }
    byte[] sent = Arrays.copyOfRange(data, 1, data.length);
    boolean isImpatient = (data[0] & IMPATIENT) != 0;
    int piece = data[0] & ~IMPATIENT & 0xff;
    List<String> whole = new Run(sent, sent.length, isImpatient).play(onTheWay);
    if (piece > 0) {
      List<String> inPieces = new Run(sent, piece, isImpatient).play(onTheWay);
      // An origin that does not wait may be quicker than the body or not.
      require(isImpatient || whole.equals(inPieces), "whole: " + whole + ", else: " + inPieces);
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(what);
    }
  }

  /** A request as we have understood it. */
  private static final class Believed implements RequestBody {
    final String method;
    final String target;
    final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final RequestBody body;
    boolean isWhole;
    boolean isOver;

    Believed(RequestView request, RequestBody body) {
      String query = request.query();
      this.method = request.method();
      this.target = query == null ? request.path() : request.path() + "?" + query;
      this.body = body;
      isWhole = body.lengthBytes() == 0;
    }

    @Override
    public long lengthBytes() {
      return body.lengthBytes();
    }

    @Override
    public void receiver(Receiver to) {
      body.receiver(
          new Receiver() {
            @Override
            public void onData(ByteBuf data) {
              if (!isOver) {
                content.writeBytes(ByteBufUtil.getBytes(data));
              }
              to.onData(data);
            }

            @Override
            public void onEnd(HeaderFields trailers) {
              isWhole = !isOver;
              to.onEnd(trailers);
            }

            @Override
            public void onFailure(String reason) {
              isOver = true;
              to.onFailure(reason);
            }
          });
    }

    @Override
    public void demand(long bytes) {
      body.demand(bytes);
    }

    @Override
    public void cancel() {
      isOver |= !isWhole;
      body.cancel();
    }

    @Override
    public String toString() {
      return method + " " + target + " (" + content.size() + (isWhole ? ")" : ", cut)");
    }
  }

  /** One connection of a client, from its first byte to its end. */
  private static final class Run implements RequestHandler {
    private final byte[] sent;
    private final int piece;
    private final boolean isImpatient;
    private final EmbeddedChannel client = new EmbeddedChannel();
    private final OriginWire origin = new OriginWire(client.eventLoop());
    private final LoopLoad load = new LoopLoad(CONFIG.overload());
    private final List<Believed> believed = new ArrayList<>();
    private final Map<Connection, List<Believed>> byConnection = new HashMap<>();
    private final Map<Connection, Integer> answered = new HashMap<>();
    private final Map<Connection, Integer> continued = new HashMap<>();

    Run(byte[] sent, int piece, boolean isImpatient) {
      this.sent = sent;
      this.piece = piece;
      this.isImpatient = isImpatient;
    }

    List<String> play(UnaryOperator<byte[]> onTheWay) {
      LoopCounters counters = new LoopCounters();
      ListenerContext loop =
          new ListenerContext(
              new Loop(0, client.eventLoop(), Thread.currentThread(), -1),
              this,
              counters,
              RequestLog.OFF,
              CONFIG,
              new ConnectionLimiter(CONFIG),
              new LargeWriteQuota(0, 1, counters),
              System::nanoTime,
              System::currentTimeMillis);
      ServerConfig.ListenerConfig listener = CONFIG.listeners().getFirst();
      new ConnectionInitializer(
              loop,
              listener,
              () -> {
                throw new IllegalStateException("no TLS here");
              },
              Http3Config.OFF)
          .addHttp1(client, null);
      for (int at = 0; at < sent.length && client.isOpen(); at += piece) {
        client.writeInbound(Unpooled.copiedBuffer(sent, at, Math.min(piece, sent.length - at)));
        settle();
      }
      List<String> seen = believed.stream().map(Believed::toString).toList();
      client.finishAndReleaseAll();
      settle();
      compareWithOrigin(onTheWay);
      compareWithClient();
      origin.close();
      return seen;
    }

    private void settle() {
      do {
        client.runPendingTasks();
        client.releaseOutbound();
        origin.run();
      } while (answer());
    }

    /** The origin answers what it has got; whether there was anything. */
    private boolean answer() {
      boolean hasAnswered = false;
      for (Connection wire : List.copyOf(origin.connections())) {
        List<Message> messages = StrictHttp1.read(wire.bytes()).messages();
        int next = answered.getOrDefault(wire, 0);
        if (next >= messages.size() || !wire.isOpen()) {
          continue;
        }
        Message message = messages.get(next);
        if (message.isWhole() || isImpatient) {
          answered.put(wire, next + 1);
          wire.answer(message.isWhole() ? OK : TOO_LARGE);
          hasAnswered = true;
        } else if (message.has("expect") && !Objects.equals(continued.put(wire, next), next)) {
          wire.answer(CONTINUE);
          hasAnswered = true;
        }
      }
      return hasAnswered;
    }

    private void compareWithOrigin(UnaryOperator<byte[]> onTheWay) {
      for (Connection wire : origin.connections()) {
        List<Believed> ours = byConnection.getOrDefault(wire, List.of());
        StrictHttp1.Read read = StrictHttp1.read(onTheWay.apply(wire.bytes()));
        List<Message> theirs = read.messages();
        String both = "we: " + ours + ", the origin: " + theirs;
        require(read.error() == null, read.error() + "; " + both);
        require(ours.size() == theirs.size(), both);
        for (int i = 0; i < ours.size(); i++) {
          Believed our = ours.get(i);
          Message their = theirs.get(i);
          require(our.method.equals(their.method()) && our.target.equals(their.target()), both);
          require(our.isWhole == their.isWhole(), both);
          byte[] content = our.content.toByteArray();
          require(
              our.isWhole
                  ? Arrays.equals(content, their.body())
                  : Arrays.mismatch(content, their.body())
                          >= Math.min(content.length, their.body().length)
                      || Arrays.equals(content, their.body()),
              both);
          // Behind what it was not told the end of, an origin must be told nothing more.
          require(our.isWhole || (i == ours.size() - 1 && !wire.isOpen()), both);
        }
      }
    }

    private void compareWithClient() {
      List<Message> theirs = new ArrayList<>();
      for (Message message : StrictHttp1.read(sent, true).messages()) {
        // OPTIONS * is for this server, not for an origin.
        if (!message.target().equals("*")) {
          theirs.add(message);
        }
      }
      String both = "we: " + believed + ", the client: " + theirs;
      require(believed.size() <= theirs.size(), both);
      for (int i = 0; i < believed.size(); i++) {
        Believed our = believed.get(i);
        Message their = theirs.get(i);
        byte[] content = our.content.toByteArray();
        require(our.method.equals(their.method()), both);
        require(
            our.isWhole
                ? their.isWhole() && Arrays.equals(content, their.body())
                : content.length <= their.body().length
                    && Arrays.equals(content, Arrays.copyOf(their.body(), content.length)),
            both);
        if (their.target().matches("/[0-9A-Za-z_~-]*")) {
          require(our.target.equals(their.target()), both);
        }
      }
    }

    @Override
    public LoopLoad load() {
      return load;
    }

    @Override
    public void start(
        RequestView request, RequestBody body, ResponseSink sink, ClientInfo clientInfo) {
      Believed our = new Believed(request, body);
      believed.add(our);
      Passing passing = new Passing(sink);
      sink.listener(passing);
      Connection wire = origin.send(PASSING.pass(request, clientInfo, our), passing);
      passing.wire = wire;
      byConnection.computeIfAbsent(wire, _ -> new ArrayList<>()).add(our);
    }
  }

  /** Tells the client what the origin says, which is a status and nothing else. */
  private static final class Passing implements OriginListener, ResponseSink.Listener {
    private final ResponseSink sink;
    @Nullable Connection wire;
    private boolean isOver;

    Passing(ResponseSink sink) {
      this.sink = sink;
    }

    @Override
    public void onInformational(int status, HeaderFields fields) {}

    @Override
    public void onHead(
        int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
      if (!isOver) {
        isOver = true;
        sink.head(sink.beginHead(status), 0, true);
      }
    }

    @Override
    public void onData(ByteBuf data) {
      data.release();
    }

    @Override
    public void onReadComplete() {}

    @Override
    public void onEnd(HeaderFields trailers) {}

    @Override
    public void onFailure(OriginFailure failure) {
      if (!isOver) {
        isOver = true;
        sink.abort(AbortCause.ORIGIN_FAILED);
      }
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed() {
      Connection current = wire;
      if (!isOver && current != null) {
        current.cancel();
      }
      isOver = true;
    }
  }
}
