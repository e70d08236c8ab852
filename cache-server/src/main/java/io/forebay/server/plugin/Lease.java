package io.forebay.server.plugin;

import io.forebay.plugin.Handler;
import io.forebay.server.text.Printable;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handlers of one configuration. The compiled configuration holds it, and so does each call for
 * as long as its request or fetch may still need the handler: nothing is counted, and when the
 * collector finds the lease unreachable, the handlers are closed.
 */
public final class Lease implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lease.class);
  private static final Cleaner CLEANER =
      Cleaner.create(task -> Thread.ofPlatform().daemon().name("plugins").unstarted(task));

  private final List<Handler> handlers = new CopyOnWriteArrayList<>();
  private final Cleaner.Cleanable closing;

  Lease() {
    closing = CLEANER.register(this, new Closing(handlers));
  }

  /** Adds a handler and gives its number. */
  int add(Handler handler) {
    handlers.add(handler);
    return handlers.size() - 1;
  }

  Handler handler(int number) {
    return handlers.get(number);
  }

  /** Closes the handlers, once. */
  @Override
  public void close() {
    closing.clean();
  }

  private record Closing(List<Handler> handlers) implements Runnable {
    @Override
    public void run() {
      for (Handler handler : handlers) {
        try {
          handler.close();
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
          LOG.warn("closing {}: {}", handler.getClass().getName(), Printable.line(e.toString()));
        }
      }
    }
  }
}
