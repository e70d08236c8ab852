package io.forebay.server.origin.dns;

import io.forebay.server.text.Printable;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.resolver.HostsFileEntriesProvider;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsCache;
import io.netty.resolver.dns.DnsCacheEntry;
import io.netty.resolver.dns.DnsErrorCauseException;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.netty.resolver.dns.UnixResolverDnsServerAddressStreamProvider;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Resolves names as the machine does: the hosts file first, then the configured name servers. Both
 * files are reread when they change. It caches nothing and reports the shortest TTL of each answer.
 * Confined to the resolver's thread, which may read files.
 */
final class DnsLookup implements NameLookup {
  private static final long HOSTS_TTL_SECONDS = 5;
  private static final long QUERY_TIMEOUT_MILLIS = 2_000;
  private static final int MAX_QUERIES = 12;
  private static final int MAX_CAUSES = 8;
  private static final InetSocketAddress LOCAL_SERVER =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 53);

  private final EventLoop thread;
  private final NamePlaces places;
  private final TtlRecorder ttls = new TtlRecorder();
  private final ServiceLookup services =
      new ServiceLookup(question -> resolver().resolveAll(question), this);

  private @Nullable FileTime hostsTime;
  private Map<String, List<InetAddress>> hosts = Map.of();
  private @Nullable FileTime serversTime;
  private @Nullable DnsNameResolver resolver;

  DnsLookup(EventLoop thread, NamePlaces places) {
    this.thread = thread;
    this.places = places;
  }

  @Override
  public void lookup(String name, List<ServiceAddress> before, Consumer<Answer> done) {
    if (name.startsWith(NameResolver.SRV)) {
      services.lookup(name.substring(NameResolver.SRV.length()), before, done);
      return;
    }
    String host = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    List<InetAddress> local = hostsFile().get(host.toLowerCase(Locale.ROOT));
    if (local != null) {
      done.accept(Answer.found(local, HOSTS_TTL_SECONDS));
      return;
    }
    ttls.forget(name);
    Future<List<InetAddress>> answer = resolver().resolveAll(name);
    answer.addListener((Future<List<InetAddress>> future) -> {
      if (future.isSuccess() && !future.getNow().isEmpty()) {
        done.accept(Answer.found(future.getNow(), ttls.shortest(name, HOSTS_TTL_SECONDS)));
      } else {
        done.accept(failed(future.cause()));
      }
      ttls.forget(name);
    });
  }

  /** The answer for a query that failed, or found nothing if there is no cause. */
  static Answer failed(@Nullable Throwable cause) {
    return Answer.failed(cause == null ? "no address" : Printable.line(cause), rcode(cause));
  }

  /** The name of the response code, where a name server answered at all. */
  private static @Nullable String rcode(@Nullable Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause instanceof DnsErrorCauseException answered) {
        String text = answered.getCode().toString();
        int number = text.indexOf('(');
        // Spelt as in the registry; Netty says NXDomain.
        return Printable.line(number < 0 ? text : text.substring(0, number))
            .toUpperCase(Locale.ROOT);
      }
      cause = cause.getCause();
    }
    return null;
  }

  private Map<String, List<InetAddress>> hostsFile() {
    FileTime time = modified(places.hosts());
    if (time == null) {
      hosts = Map.of();
    } else if (!time.equals(hostsTime)) {
      hosts = readHosts(places.hosts());
    }
    hostsTime = time;
    return hosts;
  }

  private static Map<String, List<InetAddress>> readHosts(Path file) {
    HostsFileEntriesProvider entries;
    try {
      entries = HostsFileEntriesProvider.parser().parse(file.toFile(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      // As good as an absent file: the name servers are asked.
      return Map.of();
    }
    Map<String, List<InetAddress>> merged = new HashMap<>();
    entries
        .ipv4Entries()
        .forEach((name, list) -> merged.computeIfAbsent(name, n -> new ArrayList<>()).addAll(list));
    entries
        .ipv6Entries()
        .forEach((name, list) -> merged.computeIfAbsent(name, n -> new ArrayList<>()).addAll(list));
    return merged;
  }

  private DnsNameResolver resolver() {
    FileTime time = modified(places.servers());
    boolean isUnchanged = time == null ? serversTime == null : time.equals(serversTime);
    if (resolver != null && isUnchanged) {
      return resolver;
    }
    if (resolver != null) {
      resolver.close();
    }
    serversTime = time;
    resolver =
        new DnsNameResolverBuilder(thread)
            .datagramChannelType(NioDatagramChannel.class)
            .socketChannelType(NioSocketChannel.class)
            .resolvedAddressTypes(ResolvedAddressTypes.IPV4_PREFERRED)
            .queryTimeoutMillis(QUERY_TIMEOUT_MILLIS)
            .maxQueriesPerResolve(MAX_QUERIES)
            .hostsFileEntriesResolver((name, types) -> null)
            .nameServerProvider(servers())
            .resolveCache(ttls)
            .build();
    return resolver;
  }

  private DnsServerAddressStreamProvider servers() {
    if (places.server() != null) {
      return new SingletonDnsServerAddressStreamProvider(places.server());
    }
    try {
      return new UnixResolverDnsServerAddressStreamProvider(places.servers().toFile());
    } catch (IOException | IllegalArgumentException e) {
      // No usable file: what the C library does then, rather than some public server.
      return new SingletonDnsServerAddressStreamProvider(LOCAL_SERVER);
    }
  }

  private static @Nullable FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * Stands where the resolver's cache would, and keeps nothing but the shortest TTL heard of each
   * name. A name found by way of a search domain is noted under its full name.
   */
  private static final class TtlRecorder implements DnsCache {
    private final Map<String, Long> shortest = new HashMap<>();

    long shortest(String name, long otherwise) {
      long seconds = Long.MAX_VALUE;
      for (Map.Entry<String, Long> note : shortest.entrySet()) {
        if (isSame(name, note.getKey())) {
          seconds = Math.min(seconds, note.getValue());
        }
      }
      return seconds == Long.MAX_VALUE ? otherwise : seconds;
    }

    void forget(String name) {
      shortest.keySet().removeIf(noted -> isSame(name, noted));
    }

    private static boolean isSame(String name, String noted) {
      return noted.startsWith(name)
          && (noted.length() == name.length() || noted.charAt(name.length()) == '.');
    }

    @Override
    public void clear() {
      shortest.clear();
    }

    @Override
    public boolean clear(String hostname) {
      return shortest.remove(hostname) != null;
    }

    @Override
    public @Nullable List<? extends DnsCacheEntry> get(String hostname, DnsRecord[] additionals) {
      return null;
    }

    @Override
    public DnsCacheEntry cache(
        String hostname,
        DnsRecord[] additionals,
        InetAddress address,
        long originalTtl,
        EventLoop loop) {
      shortest.merge(hostname, originalTtl, Math::min);
      return new Noted(address, null);
    }

    @Override
    public DnsCacheEntry cache(
        String hostname, DnsRecord[] additionals, Throwable cause, EventLoop loop) {
      return new Noted(null, cause);
    }

    private record Noted(@Nullable InetAddress address, @Nullable Throwable cause)
        implements DnsCacheEntry {}
  }
}
