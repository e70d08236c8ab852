package io.forebay.server.listen;

import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.exchange.Exchanges;
import io.forebay.server.metric.AccessLane;
import io.forebay.server.metric.LoopCounters;
import io.forebay.server.tls.TlsTable;
import io.netty.channel.embedded.EmbeddedChannel;

/**
 * Gives a channel without a socket the handlers of an accepted plain-text connection. It stands in
 * this package because nobody but a listener is to make them.
 */
public final class EmbeddedListener {

  private EmbeddedListener() {}

  /** Called by the thread that drives the channel. */
  public static void accept(
      EmbeddedChannel channel,
      Exchanges exchanges,
      LoopCounters counters,
      AccessLane accessLog,
      ServerConfig config) {
    Loop loop = new Loop(0, channel.eventLoop(), Thread.currentThread(), -1);
    LoopConnections context =
        new LoopConnections(
            loop,
            exchanges,
            counters,
            accessLog,
            config,
            new NodeConnections(config),
            new WideSends(config.limits().privateCopyBytes(), 1, counters),
            System::nanoTime,
            System::currentTimeMillis);
    channel
        .pipeline()
        .addLast(
            new ConnectionInitializer(
                context,
                new ListenerConfig("http", new Address("*", 0), null, null),
                () -> TlsTable.EMPTY,
                Http3Config.OFF));
  }
}
