package io.forebay.server.origin.balance;

import io.forebay.server.config.ServerConfig.Balance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Servers behind a policy, in virtual time. Each event loop has a policy and candidates of its own,
 * as in the node; requests come by a Poisson process, whatever is still in progress (open loop).
 *
 * <pre>
 *   arrivals ──► loop, at random ──► policy ──► server: a queue and its workers ──► latency
 * </pre>
 *
 * <p>A request occupies a worker of its server for a fixed time, an exponential one, and what the
 * server is late by.
 */
final class BalanceSimulation {

  /**
   * What is simulated. The capacity of a server is {@code workers} divided by the mean time of a
   * request; the load is the share of the capacity of all servers.
   *
   * @param randomMillis mean of the exponential part of a request's time
   */
  record Model(
      int servers, int loops, int workers, double fixedMillis, double randomMillis, double load) {
    double meanNanos() {
      return (fixedMillis + randomMillis) * MILLI;
    }
  }

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  /** One server: its workers, and who waits for one. */
  private static final class Server {
    final ArrayDeque<Request> queue = new ArrayDeque<>();
    int busy;

    /** By what its responses are late. */
    long extraNanos;

    int requests;
  }

  private static final class Endpoint extends Candidate {
    Endpoint(int number) {
      super(number, 1);
    }
  }

  private record Request(Endpoint endpoint, Server server, long cameNanos) {}

  /** The response of a request. */
  private record Event(long nanos, long order, Request request) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(nanos, other.nanos);
      return byTime == 0 ? Long.compare(order, other.order) : byTime;
    }
  }

  private final SplittableRandom random;
  private final Model model;
  private final List<Server> servers = new ArrayList<>();
  private final List<List<Endpoint>> loops = new ArrayList<>();
  private final List<BalancePolicy> policies = new ArrayList<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowNanos = 1;
  private long nextArrivalNanos = 1;
  private long order;

  /** No requests yet. */
  BalanceSimulation(Balance balance, Model model, long seed) {
    this.random = new SplittableRandom(seed);
    this.model = model;
    for (int i = 0; i < model.servers; i++) {
      servers.add(new Server());
    }
    for (int i = 0; i < model.loops; i++) {
      loops.add(IntStream.range(0, model.servers).mapToObj(Endpoint::new).toList());
      policies.add(BalancePolicies.create(balance, random.split(), () -> nowNanos));
    }
  }

  /** From now on a server takes so much longer for each request. */
  void delay(int server, long millis) {
    servers.get(server).extraNanos = millis * MILLI;
  }

  /** Requests that a server got. */
  int requests(int server) {
    return servers.get(server).requests;
  }

  double seconds() {
    return nowNanos / 1e9;
  }

  /** Latencies of as many requests, in order of size. */
  long[] run(int count) {
    long[] latencies = new long[count];
    int sent = 0;
    int answered = 0;
    while (answered < count) {
      Event next = events.peek();
      if (sent < count && (next == null || nextArrivalNanos <= next.nanos)) {
        nowNanos = nextArrivalNanos;
        nextArrivalNanos += 1 + (long) exponential(gapNanos());
        arrive();
        sent++;
      } else {
        Event event = events.remove();
        nowNanos = event.nanos;
        latencies[answered++] = answer(event.request);
      }
    }
    nextArrivalNanos = Math.max(nextArrivalNanos, nowNanos);
    Arrays.sort(latencies);
    return latencies;
  }

  private double gapNanos() {
    return model.meanNanos() / (model.load * model.servers * model.workers);
  }

  private long answer(Request request) {
    long nanos = nowNanos - request.cameNanos;
    request.endpoint.latency().observe(nanos, nowNanos);
    request.endpoint.removeRequest();
    request.server.busy--;
    work(request.server);
    return nanos;
  }

  private void arrive() {
    int loop = random.nextInt(loops.size());
    List<Endpoint> candidates = loops.get(loop);
    int chosen = policies.get(loop).choose(candidates, () -> 0);
    Endpoint endpoint = candidates.get(chosen);
    Server server = servers.get(chosen);
    endpoint.addRequest();
    server.requests++;
    server.queue.add(new Request(endpoint, server, nowNanos));
    work(server);
  }

  private void work(Server server) {
    while (server.busy < model.workers && !server.queue.isEmpty()) {
      server.busy++;
      double nanos =
          model.fixedMillis * MILLI + exponential(model.randomMillis * MILLI) + server.extraNanos;
      events.add(new Event(nowNanos + (long) nanos, order++, server.queue.remove()));
    }
  }

  private double exponential(double mean) {
    return -mean * Math.log(1 - random.nextDouble());
  }
}
