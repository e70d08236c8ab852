package io.forebay.server.origin;

import io.forebay.server.origin.drain.Drain;
import io.forebay.server.origin.drain.DrainFile;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.server.origin.drain.DrainOutcome;
import io.forebay.server.origin.drain.Drains;
import io.forebay.server.origin.group.OriginUrl;
import io.forebay.server.text.AddressText;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Takes servers out of service, and back, at an operator's order: written to the file first, then
 * in force on every event loop. Any thread that may block; one order at a time.
 */
public final class OriginDrains {
  /** Servers that a message names. */
  private static final int MAX_NAMED = 8;

  private final DrainFile file;
  private final OriginConnections shared;
  private final Supplier<List<OriginStatus>> origins;
  private final Runnable apply;
  private final LongSupplier clockMillis;

  /**
   * Puts in force what the file has.
   *
   * @param shared where loops look for drains
   * @param origins those of the configuration in force
   * @param apply has every event loop look again, and returns when all have
   * @param clockMillis wall clock
   * @throws IOException when the file cannot be read
   */
  public OriginDrains(
      DrainFile file,
      OriginConnections shared,
      Supplier<List<OriginStatus>> origins,
      Runnable apply,
      LongSupplier clockMillis)
      throws IOException {
    this.file = file;
    this.shared = shared;
    this.origins = origins;
    this.apply = apply;
    this.clockMillis = clockMillis;
    shared.drains(file.read());
  }

  /**
   * Drains a server or an address. When this returns, no new request goes there.
   *
   * @throws IllegalArgumentException when there is no such server
   * @throws IllegalStateException when it may not be drained now, with the reason
   * @throws IOException when it could not be made durable; nothing was changed
   */
  public synchronized DrainOutcome drain(DrainOrder order) throws IOException {
    Target target = resolve(order.server(), order.origin());
    Drains now = shared.drains();
    if (now.find(target.origin.name(), target.text) != null) {
      return target.outcome(false);
    }
    if (!order.isForced() && !isAnotherUsable(target)) {
      throw new IllegalStateException(
          "without "
              + target.text
              + ", origin "
              + target.origin.name()
              + " has no usable address left; force drains it nevertheless");
    }
    if (now.isFull()) {
      throw new IllegalStateException(
          "there are " + Drains.MAX + " drains; undrain servers that are no longer needed");
    }
    change(
        now.with(
            new Drain(target.origin.name(), target.text, clockMillis.getAsLong(), order.reason())));
    return target.outcome(true);
  }

  /** Takes a drained server or address back into service; throws as {@link #drain} does. */
  public synchronized DrainOutcome undrain(String server, @Nullable String origin)
      throws IOException {
    Drains now = shared.drains();
    Drain known = find(now, server, origin);
    if (known == null) {
      return resolve(server, origin).outcome(false);
    }
    change(now.without(known));
    return new DrainOutcome(known.origin(), known.target(), true);
  }

  private void change(Drains next) throws IOException {
    file.write(next);
    shared.drains(next);
    apply.run();
  }

  /** A drain may outlast its server in the configuration, so it is found by its own text. */
  private static @Nullable Drain find(Drains drains, String server, @Nullable String origin) {
    String text = canonical(server);
    List<Drain> found =
        drains.all().stream()
            .filter(drain -> drain.target().equals(text))
            .filter(drain -> origin == null || drain.origin().equals(origin))
            .toList();
    if (found.size() > 1) {
      throw ambiguous(server, found.stream().map(Drain::origin).toList());
    }
    return found.isEmpty() ? null : found.getFirst();
  }

  private record Target(OriginStatus origin, String text) {
    DrainOutcome outcome(boolean isChanged) {
      return new DrainOutcome(origin.name(), text, isChanged);
    }
  }

  private Target resolve(String server, @Nullable String originName) {
    String text = canonical(server);
    List<OriginStatus> all = origins.get();
    List<OriginStatus> among =
        all.stream().filter(o -> originName == null || o.name().equals(originName)).toList();
    if (among.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no origin named "
              + Printable.shown(String.valueOf(originName))
              + "; origins: "
              + named(all.stream().map(OriginStatus::name).toList()));
    }
    List<Target> found = new ArrayList<>();
    for (OriginStatus origin : among) {
      if (targets(origin).contains(text)) {
        found.add(new Target(origin, text));
      }
    }
    if (found.size() > 1) {
      throw ambiguous(server, found.stream().map(target -> target.origin.name()).toList());
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "no origin has the server "
              + Printable.shown(server)
              + "; servers: "
              + named(
                  among.stream()
                      .flatMap(origin -> origin.servers().stream())
                      .map(OriginStatus.Server::url)
                      .toList()));
    }
    return found.getFirst();
  }

  /** What of an origin can be drained. */
  private static List<String> targets(OriginStatus origin) {
    List<String> targets = new ArrayList<>();
    for (OriginStatus.Server server : origin.servers()) {
      targets.add(server.url());
      server.endpoints().forEach(endpoint -> targets.add(endpoint.address()));
    }
    return targets;
  }

  private static boolean isAnotherUsable(Target target) {
    for (OriginStatus.Server server : target.origin.servers()) {
      for (OriginStatus.Endpoint endpoint : server.endpoints()) {
        if (!server.url().equals(target.text)
            && !endpoint.address().equals(target.text)
            && endpoint.state().equals(OriginStatus.USABLE)) {
          return true;
        }
      }
    }
    return false;
  }

  /** As the configuration and reports write it; a text that is neither stays as it is. */
  private static String canonical(String server) {
    try {
      boolean isUrl = server.contains("://");
      OriginUrl url = OriginUrl.parse("", isUrl ? server : "http://" + server);
      String host = url.host().indexOf(':') < 0 ? url.host() : "[" + url.host() + "]";
      if (isUrl && url.service() != null) {
        return url.scheme() + "://" + url.service() + url.base().prefix();
      }
      if (isUrl) {
        return url.scheme() + "://" + host + ":" + url.port();
      }
      return url.literal() == null
          ? server
          : AddressText.of(new InetSocketAddress(url.literal(), url.port()));
    } catch (IllegalArgumentException e) {
      return server;
    }
  }

  private static IllegalStateException ambiguous(String server, List<String> names) {
    return new IllegalStateException(
        "several origins have the server "
            + Printable.shown(server)
            + ": "
            + named(names)
            + "; name one of them");
  }

  private static String named(List<String> names) {
    String first = names.stream().distinct().limit(MAX_NAMED).collect(Collectors.joining(", "));
    return names.stream().distinct().count() > MAX_NAMED ? first + ", …" : first;
  }
}
