package io.forebay.server.listen;

import io.forebay.server.accesslog.RequestLog;
import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.http.RequestHandler;
import io.forebay.server.listen.connection.ConnectionLimiter;
import io.forebay.server.listen.connection.LargeWriteQuota;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.loop.Loop;
import io.forebay.server.tls.SniTable;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.function.LongSupplier;

/**
 * Gives channels without sockets the handlers of an accepted plain-text connection, all of one
 * loop. It stands in this package because nobody but a listener is to make them.
 */
public final class EmbeddedListener {

  private final ConnectionInitializer initializer;
  private final ConnectionInitializer http2;

  /** Made by the thread that drives the channels. */
  public EmbeddedListener(
      EventLoop eventLoop,
      RequestHandler exchanges,
      LoopCounters counters,
      RequestLog requestLog,
      ServerConfig config,
      LongSupplier clockMillis) {
    ListenerContext connections =
        new ListenerContext(
            new Loop(0, eventLoop, Thread.currentThread(), -1),
            exchanges,
            counters,
            requestLog,
            config,
            new ConnectionLimiter(config),
            new LargeWriteQuota(config.limits().privateCopyBytes(), 1, counters),
            System::nanoTime,
            clockMillis);
    Address address = new Address("*", 0);
    initializer =
        new ConnectionInitializer(
            connections,
            new ListenerConfig("http", address, null, null),
            () -> SniTable.EMPTY,
            Http3Config.OFF);
    http2 =
        new ConnectionInitializer(
            connections,
            new ListenerConfig("http", address, null, null, null, true, false),
            () -> SniTable.EMPTY,
            Http3Config.OFF);
  }

  /** Makes the channel a connection that has just been accepted. */
  public void accept(EmbeddedChannel channel) {
    channel.pipeline().addLast(initializer);
  }

  /** The same on a listener that also takes HTTP/2 with prior knowledge. */
  public void acceptHttp2(EmbeddedChannel channel) {
    channel.pipeline().addLast(http2);
  }
}
