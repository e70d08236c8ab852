package io.forebay.server.origin.dns;

import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the addresses of an SRV name (RFC 2782): its records, and then the addresses of each
 * target. Addresses in the additional section are not read: who answers for the SRV name need not
 * be who answers for the targets.
 *
 * <pre>
 *   SRV NAME ──► records, the first 32 by priority ──► A and AAAA of each target ──► one answer
 * </pre>
 *
 * <p>A target that does not resolve keeps the addresses that it had. Confined to the resolver's
 * thread.
 */
final class ServiceLookup {
  /** Records of one name that are used (I5): those of the lowest priorities. */
  static final int MAX_RECORDS = 32;

  /** Addresses of one target that are used (I5). */
  static final int MAX_TARGET_ADDRESSES = 16;

  private final Function<DnsQuestion, Future<List<DnsRecord>>> records;
  private final NameLookup addresses;

  /**
   * A lookup over others.
   *
   * @param records asks for the records of a type
   * @param addresses asks for the addresses of a host
   */
  ServiceLookup(Function<DnsQuestion, Future<List<DnsRecord>>> records, NameLookup addresses) {
    this.records = records;
    this.addresses = addresses;
  }

  /**
   * Asks for a name.
   *
   * @param before what it had until now
   */
  void lookup(String name, List<ServiceAddress> before, Consumer<NameLookup.Answer> done) {
    records
        .apply(new DefaultDnsQuestion(name, DnsRecordType.SRV))
        .addListener((Future<List<DnsRecord>> future) -> {
          if (future.isSuccess()) {
            onRecords(read(future.getNow()), before, done);
          } else {
            done.accept(DnsLookup.failed(future.cause()));
          }
        });
  }

  private static List<ServiceRecord> read(List<DnsRecord> found) {
    List<ServiceRecord> read = new ArrayList<>();
    for (DnsRecord record : found) {
      ServiceRecord one = ServiceRecord.read(record);
      if (one != null) {
        read.add(one);
      }
      ReferenceCountUtil.release(record);
    }
    // In an order of their own: name servers rotate answers, and an equal one changes nothing.
    read.sort(
        Comparator.comparingInt(ServiceRecord::priority)
            .thenComparing(ServiceRecord::weight, Comparator.reverseOrder())
            .thenComparing(ServiceRecord::target)
            .thenComparingInt(ServiceRecord::port));
    return read;
  }

  private void onRecords(
      List<ServiceRecord> read, List<ServiceAddress> before, Consumer<NameLookup.Answer> done) {
    List<ServiceRecord> used =
        read.stream()
            .filter(record -> !record.target().equals(ServiceRecord.NONE))
            .distinct()
            .limit(MAX_RECORDS)
            .toList();
    if (used.isEmpty()) {
      done.accept(
          read.isEmpty()
              ? NameLookup.Answer.failed("no usable SRV record", null)
              : NameLookup.Answer.withdrawn("its SRV record says that there is no such service"));
      return;
    }
    new Targets(used, before, done).ask();
  }

  /** The targets of one answer, until all are resolved. */
  private final class Targets {
    private final List<ServiceRecord> used;
    private final Map<String, Set<InetAddress>> before;
    private final Consumer<NameLookup.Answer> done;
    private final Map<String, List<InetAddress>> found = new HashMap<>();
    private long ttlSeconds;
    private int open;
    private NameLookup.@Nullable Answer failure;

    Targets(
        List<ServiceRecord> used, List<ServiceAddress> before, Consumer<NameLookup.Answer> done) {
      this.used = used;
      this.before =
          before.stream()
              .collect(
                  Collectors.groupingBy(
                      ServiceAddress::target,
                      Collectors.mapping(ServiceAddress::address, Collectors.toSet())));
      this.done = done;
      this.ttlSeconds = used.stream().mapToLong(ServiceRecord::ttlSeconds).min().orElse(0);
    }

    void ask() {
      Set<String> targets =
          used.stream()
              .map(ServiceRecord::target)
              .collect(Collectors.toCollection(LinkedHashSet::new));
      open = targets.size();
      targets.forEach(
          target -> addresses.lookup(target, List.of(), answer -> onTarget(target, answer)));
    }

    private void onTarget(String target, NameLookup.Answer answer) {
      if (!answer.addresses().isEmpty()) {
        found.put(target, answer.addresses());
        ttlSeconds = Math.min(ttlSeconds, answer.ttlSeconds());
      } else {
        failure =
            NameLookup.Answer.failed("target " + target + ": " + answer.failure(), answer.rcode());
        found.put(target, List.copyOf(before.getOrDefault(target, Set.of())));
      }
      if (--open == 0) {
        done.accept(answer());
      }
    }

    private NameLookup.Answer answer() {
      List<ServiceAddress> all = new ArrayList<>();
      for (ServiceRecord record : used) {
        found.getOrDefault(record.target(), List.of()).stream()
            .sorted(Comparator.comparing(InetAddress::getHostAddress))
            .limit(MAX_TARGET_ADDRESSES)
            .map(address ->
                new ServiceAddress(
                    record.target(), address, record.port(), record.priority(), record.weight()))
            .forEach(all::add);
      }
      NameLookup.Answer failed = failure;
      if (all.isEmpty() && failed != null) {
        return failed;
      }
      return NameLookup.Answer.services(all, ttlSeconds, failed == null ? null : failed.failure());
    }
  }
}
