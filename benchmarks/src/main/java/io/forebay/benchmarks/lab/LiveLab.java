package io.forebay.benchmarks.lab;

import io.forebay.testing.Directories;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.RawClient;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Live channels: how far clients are behind the origin.
 *
 * <ul>
 *   <li>{@code chunks}: clients follow one segment that the origin writes in chunks. Prints the
 *       time from the write of a chunk until all of it is with a client.
 *   <li>{@code reloads}: clients wait for one playlist (LL-HLS). Prints the time from the origin's
 *       answer until the playlist is with a client, and the longest time that a hit took meanwhile
 *       on each of two other connections.
 * </ul>
 *
 * <p>Clients, origin and edge share the machine; one thread reads all clients, and its time counts.
 *
 * <pre>
 * mvn -B -ntp -q package -Dmaven.test.skip -pl benchmarks -am
 * java -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.lab.LiveLab cache-cli/target/forebay.jar chunks [CLIENTS]
 * java -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.lab.LiveLab cache-cli/target/forebay.jar reloads [CLIENTS]
 * </pre>
 */
@SuppressWarnings("try") // one that is interrupted ends
public final class LiveLab {
  private static final int SEGMENTS = 6;
  private static final int CHUNKS = 40;
  private static final int CHUNK_BYTES = 20_000;
  private static final long CHUNK_NANOS = 50_000_000;
  private static final int ROUNDS = 5;
  private static final String PLAYLIST =
      "#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXT-X-PART-INF:PART-TARGET=1.0\n"
          + "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3.0\n"
          + "#EXTINF:4.0,\nsegment.mp4\n".repeat(40);

  private final EdgeProcess edge;
  private final Origin origin;
  private final int clients;

  private LiveLab(EdgeProcess edge, Origin origin, int clients) {
    this.edge = edge;
    this.origin = origin;
    this.clients = clients;
  }

  public static void main(String[] arguments) throws Exception {
    boolean isReloads = arguments[1].equals("reloads");
    int clients = arguments.length > 2 ? Integer.parseInt(arguments[2]) : isReloads ? 10_000 : 200;
    Path directory = Files.createTempDirectory("forebay-live-");
    Origin origin = new Origin();
    try (EdgeProcess edge =
        EdgeProcess.of(Path.of(arguments[0]).toAbsolutePath(), directory)
            .jvm("-Xmx1g")
            .config(
                "origins: {main: {url: \""
                    + origin.url()
                    + "\", timeouts: {first-byte: 5m}}}\nroutes: [{media: live}]\n"
                    + "limits: {waiting-per-client: 0, connections-per-address: 0}\n"
                    + "overload: {delay: 0s}\n")
            .start()) {
      LiveLab lab = new LiveLab(edge, origin, clients);
      if (isReloads) {
        lab.reloads();
      } else {
        lab.chunks();
      }
    } finally {
      origin.close();
      Directories.delete(directory);
    }
  }

  // --- chunks -----------------------------------------------------------------------------------

  private void chunks() throws Exception {
    for (int segment = 0; segment < SEGMENTS; segment++) {
      String path = "/segment-" + segment + ".m4s";
      try (Readers readers = Readers.connect(edge.port(), clients)) {
        origin.begin();
        readers.request(path);
        awaitJoined();
        origin.release();
        long[] late = new long[clients * CHUNKS];
        AtomicInteger seen = new AtomicInteger();
        readers.read((received, now) -> {
          int before = (int) (received.before / CHUNK_BYTES);
          int after = (int) (received.after / CHUNK_BYTES);
          for (int chunk = before; chunk < after; chunk++) {
            late[seen.getAndIncrement()] = now - origin.written(chunk);
          }
        });
        print("chunks, segment " + segment, Arrays.copyOf(late, seen.get()));
      }
    }
    System.out.println("requests to the origin: " + origin.requests());
  }

  // --- reloads ----------------------------------------------------------------------------------

  private void reloads() throws Exception {
    // From the playlist the edge knows for how long reloads wait.
    for (String path : List.of("/hit", "/live.m3u8")) {
      int ignored = edge.get(path).status();
    }
    try (Readers readers = Readers.connect(edge.port(), clients);
        Bystanders bystanders = new Bystanders(edge.port())) {
      for (int round = 0; round < ROUNDS; round++) {
        String path = "/live.m3u8?_HLS_msn=" + round + "&_HLS_part=0";
        origin.begin();
        readers.request(path);
        awaitJoined();
        long longestBefore = bystanders.longest();
        origin.release();
        long[] late = new long[clients];
        AtomicInteger seen = new AtomicInteger();
        readers.read((received, now) -> {
          if (received.isWhole) {
            late[seen.getAndIncrement()] = now - origin.written(0);
          }
        });
        print("reloads, round " + round, Arrays.copyOf(late, seen.get()));
        System.out.printf(
            Locale.ROOT,
            "  longest hit beside them: %.1f ms while they came, %.1f ms while they were told%n",
            longestBefore / 1e6,
            bystanders.longest() / 1e6);
      }
    }
    System.out.println("requests to the origin: " + origin.requests());
  }

  private double joinedBefore;

  /** All but the first one wait for what the first one has asked for; none waits for a minute. */
  private void awaitJoined() throws Exception {
    long end = System.nanoTime() + 50_000_000_000L;
    double joined = joined();
    while (joined < joinedBefore + clients - 1) {
      if (System.nanoTime() > end) {
        throw new IOException(joined - joinedBefore + " of " + (clients - 1) + " have joined");
      }
      LockSupport.parkNanos(20_000_000);
      joined = joined();
    }
    joinedBefore = joined;
  }

  private double joined() throws Exception {
    return edge.metrics().sum("forebay_fills_joined_total");
  }

  private static void print(String what, long[] nanos) {
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "%s: %d times, p50 %.2f ms, p99 %.2f ms, longest %.2f ms%n",
        what,
        nanos.length,
        at(nanos, 0.5),
        at(nanos, 0.99),
        at(nanos, 1));
  }

  private static double at(long[] sorted, double share) {
    return sorted[(int) Math.min(sorted.length - 1, sorted.length * share)] / 1e6;
  }

  // --- the origin -------------------------------------------------------------------------------

  /** Holds what it is asked for until it is released, and notes when it writes. */
  private static final class Origin {
    private final ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final AtomicLongArray written = new AtomicLongArray(CHUNKS);
    private final AtomicInteger requests = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    Origin() throws IOException {
      Thread acceptor = new Thread(this::accept, "origin");
      acceptor.setDaemon(true);
      acceptor.start();
    }

    private void accept() {
      try {
        while (true) {
          Socket accepted = server.accept();
          Thread thread = new Thread(() -> converse(accepted), "origin-connection");
          thread.setDaemon(true);
          thread.start();
        }
      } catch (IOException e) {
        // Closed: the lab ends.
      }
    }

    private void converse(Socket socket) {
      try (socket) {
        socket.setTcpNoDelay(true);
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        while (true) {
          answer(target(in), out);
        }
      } catch (IOException e) {
        // The edge has closed the connection.
      }
    }

    /** Of the next request. */
    private static String target(InputStream in) throws IOException {
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        int next = in.read();
        if (next < 0) {
          throw new EOFException("between two requests");
        }
        head.append((char) next);
      }
      return head.toString().split(" ", 3)[1];
    }

    private void answer(String target, OutputStream out) throws IOException {
      if (target.equals("/hit")) {
        out.write(
            ascii("HTTP/1.1 200 OK\r\ncache-control: max-age=3600\r\ncontent-length: 2\r\n\r\nok"));
        return;
      }
      requests.incrementAndGet();
      await();
      if (target.contains(".m3u8")) {
        written.set(0, System.nanoTime());
        out.write(
            ascii(
                "HTTP/1.1 200 OK\r\ncontent-length: " + PLAYLIST.length() + "\r\n\r\n" + PLAYLIST));
      } else {
        sendChunks(out);
      }
    }

    private void await() throws IOException {
      try {
        gate.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    private void sendChunks(OutputStream out) throws IOException {
      out.write(
          ascii(
              "HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncache-control: max-age=60\r\n"
                  + "transfer-encoding: chunked\r\n\r\n"));
      ByteArrayOutputStream chunk = new ByteArrayOutputStream();
      chunk.writeBytes(ascii(Integer.toHexString(CHUNK_BYTES) + "\r\n"));
      chunk.writeBytes(new byte[CHUNK_BYTES]);
      chunk.writeBytes(ascii("\r\n"));
      for (int i = 0; i < CHUNKS; i++) {
        LockSupport.parkNanos(CHUNK_NANOS);
        written.set(i, System.nanoTime());
        out.write(chunk.toByteArray());
      }
      out.write(ascii("0\r\n\r\n"));
    }

    void begin() {
      gate = new CountDownLatch(1);
    }

    void release() {
      gate.countDown();
    }

    long written(int chunk) {
      return written.get(chunk);
    }

    int requests() {
      return requests.get();
    }

    String url() {
      return "http://127.0.0.1:" + server.getLocalPort();
    }

    void close() throws IOException {
      gate.countDown();
      server.close();
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  // --- the clients ------------------------------------------------------------------------------

  /** What one read of one client brought. */
  private record Received(long before, long after, boolean isWhole) {}

  private interface OnReceived {
    void accept(Received received, long nowNanos);
  }

  /** Connections that one thread reads. */
  private record Readers(Selector selector, List<SocketChannel> channels) implements AutoCloseable {
    static Readers connect(int port, int count) throws IOException {
      Readers readers = new Readers(Selector.open(), new ArrayList<>());
      InetSocketAddress edge = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      for (int i = 0; i < count; i++) {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.connect(edge);
        channel.configureBlocking(false);
        channel.register(readers.selector, SelectionKey.OP_READ, new Body());
        readers.channels.add(channel);
      }
      return readers;
    }

    void request(String target) throws IOException {
      for (SelectionKey key : selector.keys()) {
        key.attach(new Body());
        SelectionKey ignored = key.interestOps(SelectionKey.OP_READ);
      }
      byte[] head = ascii("GET " + target + " HTTP/1.1\r\nhost: live.example\r\n\r\n");
      for (SocketChannel channel : channels) {
        int ignored = channel.write(ByteBuffer.wrap(head));
      }
    }

    private static void pause(SelectionKey key) {
      SelectionKey ignored = key.interestOps(0);
    }

    /** Reads until each has its response. */
    void read(OnReceived told) throws IOException {
      ByteBuffer buffer = ByteBuffer.allocateDirect(256 << 10);
      int open = channels.size();
      while (open > 0) {
        int ignored = selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
          buffer.clear();
          if (((SocketChannel) key.channel()).read(buffer) < 0) {
            throw new EOFException("the edge has closed a connection");
          }
          Body body = (Body) key.attachment();
          long before = body.bytes;
          body.add(buffer.flip());
          told.accept(new Received(before, body.bytes, body.isWhole), System.nanoTime());
          if (body.isWhole) {
            pause(key);
            open--;
          }
        }
        selector.selectedKeys().clear();
      }
    }

    @Override
    public void close() throws IOException {
      for (SocketChannel channel : channels) {
        channel.close();
      }
      selector.close();
    }
  }

  /** How much of a body has come, chunked or not. */
  private static final class Body {
    private final StringBuilder line = new StringBuilder();
    private boolean isInHead = true;
    private boolean isChunked;
    private boolean isLast;
    private long left = -1;
    private long bytes;
    private boolean isWhole;
    private @Nullable String refused;

    void add(ByteBuffer data) throws IOException {
      while (data.hasRemaining() && !isWhole) {
        if (left > 0) {
          int taken = (int) Math.min(left, data.remaining());
          data.position(data.position() + taken);
          left -= taken;
          bytes += taken;
          isWhole = left == 0 && !isChunked;
          continue;
        }
        char next = (char) data.get();
        if (next != '\n') {
          line.append(next);
          continue;
        }
        onLine(line.toString().strip().toLowerCase(Locale.ROOT));
        line.setLength(0);
      }
    }

    private void onLine(String text) throws IOException {
      if (!isInHead) {
        if (text.isEmpty()) {
          isWhole = isLast;
        } else {
          left = Long.parseLong(text, 16);
          isLast = left == 0;
        }
      } else if (text.isEmpty()) {
        isInHead = false;
      } else if (text.startsWith("content-length:")) {
        left = -Long.parseLong(text.substring(15).strip());
      } else if (text.startsWith("transfer-encoding:")) {
        isChunked = true;
      } else if (text.startsWith("http/1.1 ") && !text.startsWith("http/1.1 200")) {
        refused = text;
      } else if (refused != null && text.startsWith("cache-status:")) {
        throw new IOException(refused + ", " + text);
      }
      if (!isInHead && !isChunked && left < 0) {
        left = -left;
      }
    }
  }

  /** Two connections that ask for a hit again and again: on one loop, perhaps on two. */
  private static final class Bystanders implements AutoCloseable {
    private final List<Bystander> all;

    Bystanders(int port) {
      all = List.of(new Bystander(port), new Bystander(port));
      all.forEach(Thread::start);
    }

    /** Nanoseconds of the longest hit since this was last asked. */
    long longest() {
      return all.stream().mapToLong(Bystander::takeLongest).max().orElse(0);
    }

    @Override
    public void close() throws Exception {
      for (Bystander one : all) {
        one.end();
      }
    }
  }

  private static final class Bystander extends Thread {
    private final RawClient client;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private long longest;
    private volatile @Nullable IOException failure;

    Bystander(int port) {
      super("bystander");
      setDaemon(true);
      client = new RawClient(port);
    }

    @Override
    public void run() {
      try {
        while (!isOver.get()) {
          long start = System.nanoTime();
          RawClient.Response ignored = client.get("/hit");
          note(System.nanoTime() - start);
          LockSupport.parkNanos(1_000_000);
        }
      } catch (IOException e) {
        failure = e;
      }
    }

    private synchronized void note(long nanos) {
      longest = Math.max(longest, nanos);
    }

    synchronized long takeLongest() {
      long taken = longest;
      longest = 0;
      return taken;
    }

    void end() throws Exception {
      isOver.set(true);
      join();
      client.close();
      IOException wrong = failure;
      if (wrong != null) {
        throw wrong;
      }
    }
  }
}
