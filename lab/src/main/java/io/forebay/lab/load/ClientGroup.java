package io.forebay.lab.load;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a plan with one client or several. Several share its connections and rates, begin at one
 * moment by their own clocks, and their outcomes are added up.
 */
final class ClientGroup {
  private static final int CLOCK_ROUNDS = 16;
  private static final long READY_SECONDS = 60;
  private static final long BEGIN_IN_MICROS = 300_000;
  private static final double MILLI = 1000;

  private final List<Member> members;
  private final int threads;

  /**
   * A client that can be started.
   *
   * @param name for errors and clocks
   * @param command that starts a process; options of {@code client} are added to it
   */
  record Member(String name, List<String> command) {
    Member {
      command = List.copyOf(command);
    }

    private RunningClient start(List<String> options) throws IOException {
      List<String> all = new ArrayList<>(command);
      all.addAll(options);
      return new RunningClient(name, all);
    }
  }

  ClientGroup(List<Member> members, int threads) {
    this.members = List.copyOf(members);
    this.threads = threads;
  }

  LoadOutcome run(LoadPlan plan, LoadGenerator.Observer observer)
      throws IOException, InterruptedException {
    plan.checked();
    int count = Math.min(members.size(), plan.connections());
    // The same for all, as random and fresh numbers are dealt out among threads.
    int threads = Math.min(this.threads, plan.connections() / count);
    List<RunningClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        clients.add(members.get(i).start(options(i, count, threads)));
      }
      for (int i = 0; i < count; i++) {
        clients.get(i).say(ClientLines.plan(plan.part(i, count)));
      }
      return collect(plan, clients, count == 1 ? List.of() : begin(clients), observer);
    } catch (IllegalArgumentException e) {
      throw new IOException("a client's outcome cannot be read: " + e.getMessage(), e);
    } finally {
      clients.forEach(RunningClient::close);
    }
  }

  private static List<String> options(int index, int count, int threads) {
    List<String> options = new ArrayList<>(List.of("--threads", Integer.toString(threads)));
    if (count > 1) {
      options.addAll(
          List.of(
              "--index",
              Integer.toString(index),
              "--processes",
              Integer.toString(count),
              "--coordinated"));
    }
    return options;
  }

  /** Compares clocks and says to all when to begin. */
  private static List<LoadOutcome.ClientClock> begin(List<RunningClient> clients)
      throws IOException, InterruptedException {
    for (RunningClient client : clients) {
      if (client.hear(READY_SECONDS).ready() == null) {
        throw new IOException("client " + client.name() + " is not ready");
      }
    }
    List<LoadOutcome.ClientClock> clocks = new ArrayList<>();
    for (RunningClient client : clients) {
      clocks.add(clock(client));
    }
    long begin = micros() + BEGIN_IN_MICROS;
    for (int i = 0; i < clients.size(); i++) {
      long offset = Math.round(clocks.get(i).offsetMillis() * MILLI);
      clients.get(i).say(ClientLines.startAt(begin + offset));
    }
    return clocks;
  }

  /** Asks for the clock several times; the shortest round trip knows best. */
  private static LoadOutcome.ClientClock clock(RunningClient client)
      throws IOException, InterruptedException {
    long shortest = Long.MAX_VALUE;
    double offset = 0;
    for (int round = 0; round < CLOCK_ROUNDS; round++) {
      long asked = micros();
      long from = System.nanoTime();
      client.say(ClientLines.askClock(round));
      Long answer = client.hear(READY_SECONDS).clock();
      long trip = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - from);
      if (answer == null) {
        throw new IOException("client " + client.name() + " does not tell its clock");
      }
      if (trip < shortest) {
        shortest = trip;
        offset = answer - (asked + trip / 2.0);
      }
    }
    return new LoadOutcome.ClientClock(client.name(), offset / MILLI, shortest / 2.0 / MILLI);
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private static LoadOutcome collect(
      LoadPlan plan,
      List<RunningClient> clients,
      List<LoadOutcome.ClientClock> clocks,
      LoadGenerator.Observer observer)
      throws IOException, InterruptedException {
    Measured measured = Measured.of(plan);
    List<SecondCounts> seconds = new ArrayList<>();
    // A client says something each second, and is silent while the last requests end.
    long silence = READY_SECONDS + TimeUnit.MILLISECONDS.toSeconds(2L * plan.timeoutMillis());
    for (RunningClient client : clients) {
      while (true) {
        ClientLines.FromClient line = client.hear(silence);
        if (line.end() != null) {
          measured.add(line.end().totals(), line.end().histograms());
          break;
        }
        if (line.second() != null) {
          add(seconds, line.second());
          // The first client's seconds are read as they come, those of others afterwards.
          if (client == clients.getFirst()) {
            observe(plan, line.second(), observer);
          }
        } else {
          throw new IOException("client " + client.name() + " says what was not asked for");
        }
      }
    }
    return new LoadOutcome(
        measured.totals(), seconds.stream().map(SecondCounts::outcome).toList(), clocks);
  }

  /** The warm-up ends within a second: what is left of that one is not observed. */
  private static void observe(
      LoadPlan plan, ClientLines.Second second, LoadGenerator.Observer observer) {
    if (second.second() == (int) Math.ceil(plan.warmUpSeconds()) - 1) {
      observer.measuring();
    }
    observer.second(
        new LoadOutcome.Second(
            second.second(),
            second.requests(),
            second.bodyBytes(),
            second.errors(),
            second.lastByteP99Millis()));
  }

  private static void add(List<SecondCounts> seconds, ClientLines.Second second)
      throws IOException {
    int index = second.second();
    if (index < 0 || index > seconds.size()) {
      throw new IOException("second " + index + " comes after " + seconds.size());
    }
    if (index == seconds.size()) {
      seconds.add(new SecondCounts(index));
    }
    seconds.get(index).add(second);
  }
}
