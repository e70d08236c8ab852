package io.forebay.benchmarks.micro;

import io.forebay.server.tls.EmbeddedTls;
import io.forebay.testing.Certificates;
import io.forebay.testing.Directories;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What TLS adds to a hit: the bytes of a response are written to the node's own handler after a
 * real handshake (BoringSSL by tcnative, TLS 1.3), and leave it encrypted. By the length of the
 * body and of the records: 4096 is what a connection begins with, 16384 what it goes on with. The
 * time over the bytes is the cost of a byte.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar TlsRecordBenchmark -prof gc</pre>
 */
public class TlsRecordBenchmark extends Bench {
  private static final PooledByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;
  private static final int MAX_FLIGHTS = 20;

  /** A connection whose handshake is over. */
  @State(Scope.Thread)
  public static class Connection {
    @Param({"1024", "10240", "1048576"})
    int bodyBytes;

    @Param({"1400", "4096", "16384"})
    int recordBytes;

    private final EmbeddedChannel server = new EmbeddedChannel();
    private final EmbeddedChannel client = new EmbeddedChannel();
    private @Nullable SslHandler handler;
    private @Nullable ByteBuf body;

    @Setup
    public void connect() throws Exception {
      if (!OpenSsl.isAvailable()) {
        throw new IllegalStateException("no BoringSSL", OpenSsl.unavailabilityCause());
      }
      Path directory = Files.createTempDirectory("forebay-bench-");
      Certificates.in(directory).ecdsa("edge", "edge.example.com");
      SslHandler made =
          new EmbeddedTls(directory.resolve("edge.pem"), directory.resolve("edge.key"))
              .newHandler(ALLOCATOR);
      SslHandler clients =
          SslContextBuilder.forClient()
              .sslProvider(SslProvider.OPENSSL)
              .protocols("TLSv1.3")
              .trustManager(directory.resolve("ca.pem").toFile())
              .build()
              .newHandler(ALLOCATOR, "edge.example.com", 443);
      Directories.delete(directory);
      server.config().setAllocator(ALLOCATOR);
      client.config().setAllocator(ALLOCATOR);
      server.pipeline().addLast(made);
      client.pipeline().addLast(clients);
      for (int i = 0; i < MAX_FLIGHTS && !isOver(made, clients); i++) {
        pass(client, server);
        pass(server, client);
      }
      if (!made.handshakeFuture().isSuccess() || !clients.handshakeFuture().isSuccess()) {
        throw new IllegalStateException("no handshake", made.handshakeFuture().cause());
      }
      handler = made;
      byte[] random = new byte[bodyBytes];
      new Random(1).nextBytes(random);
      body = ALLOCATOR.directBuffer(bodyBytes).writeBytes(random);
      // Past the small records that a connection begins with.
      for (int sent = 0; sent < 64 << 10; sent += bodyBytes) {
        checkReadable();
      }
    }

    private static boolean isOver(SslHandler one, SslHandler other) {
      return one.handshakeFuture().isDone() && other.handshakeFuture().isDone();
    }

    private static void pass(EmbeddedChannel from, EmbeddedChannel to) {
      from.runPendingTasks();
      while (from.readOutbound() instanceof ByteBuf bytes) {
        boolean ignored = to.writeInbound(bytes);
      }
    }

    /** Gives the bytes on the wire. */
    long write() {
      if (handler == null || body == null) {
        throw new IllegalStateException("not connected");
      }
      // After a pause the handler goes back to small records by itself.
      handler.setWrapDataSize(recordBytes);
      boolean ignored = server.writeOutbound(body.retainedDuplicate());
      long length = 0;
      while (server.readOutbound() instanceof ByteBuf record) {
        length += record.readableBytes();
        record.release();
      }
      return length;
    }

    /** The client reads the body; not any more once it has missed a record. */
    private void checkReadable() {
      if (body == null) {
        throw new IllegalStateException("not connected");
      }
      boolean ignored = server.writeOutbound(body.retainedDuplicate());
      pass(server, client);
      long length = 0;
      while (client.readInbound() instanceof ByteBuf read) {
        length += read.readableBytes();
        read.release();
      }
      if (length != bodyBytes) {
        throw new IllegalStateException(length + " bytes of " + bodyBytes);
      }
    }

    @TearDown
    public void close() {
      if (body != null) {
        body.release();
      }
      for (EmbeddedChannel channel : new EmbeddedChannel[] {server, client}) {
        boolean ignored = channel.finishAndReleaseAll();
      }
    }
  }

  @Benchmark
  public long encrypt(Connection connection) {
    return connection.write();
  }
}
