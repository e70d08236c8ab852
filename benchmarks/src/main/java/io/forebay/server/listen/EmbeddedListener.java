package io.forebay.server.listen;

import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.exchange.Exchanges;
import io.forebay.server.metric.AccessLane;
import io.forebay.server.metric.LoopCounters;
import io.forebay.server.tls.TlsTable;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.function.LongSupplier;

/**
 * Gives channels without sockets the handlers of an accepted plain-text connection, all of one
 * loop. It stands in this package because nobody but a listener is to make them.
 */
public final class EmbeddedListener {

  private final ConnectionInitializer initializer;

  /** Made by the thread that drives the channels. */
  public EmbeddedListener(
      EventLoop eventLoop,
      Exchanges exchanges,
      LoopCounters counters,
      AccessLane accessLog,
      ServerConfig config,
      LongSupplier clockMillis) {
    LoopConnections connections =
        new LoopConnections(
            new Loop(0, eventLoop, Thread.currentThread(), -1),
            exchanges,
            counters,
            accessLog,
            config,
            new NodeConnections(config),
            new WideSends(config.limits().privateCopyBytes(), 1, counters),
            System::nanoTime,
            clockMillis);
    initializer =
        new ConnectionInitializer(
            connections,
            new ListenerConfig("http", new Address("*", 0), null, null),
            () -> TlsTable.EMPTY,
            Http3Config.OFF);
  }

  /** Makes the channel a connection that has just been accepted. */
  public void accept(EmbeddedChannel channel) {
    channel.pipeline().addLast(initializer);
  }
}
