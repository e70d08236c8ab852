package io.forebay.server.tls.acme;

import io.forebay.server.config.AcmeConfig;
import io.forebay.server.http.ChallengeTokens;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.CertificatePair;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.OnDemandCertificates;
import io.forebay.server.tls.acme.AcmeOrderGroup.SharedCertificate;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.RenewalInfo;
import org.shredzone.acme4j.exception.AcmeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a certificate for each name of the configuration: takes those of the data directory at
 * once, orders what is missing, renews what is due, and leaves the last good one in use while that
 * fails. One thread, {@code acme}, does all steps in turn; with a clock of its own, a test calls
 * {@link #step} in its place.
 */
public final class CertificateManager implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateManager.class);

  private static final long MAX_SLEEP_MILLIS = Duration.ofMinutes(1).toMillis();
  private static final long RENEWAL_INFO_MILLIS = Duration.ofHours(6).toMillis();
  private static final long MIN_RENEWAL_MILLIS = Duration.ofHours(1).toMillis();
  private static final int MAX_DROPPED_FAILURES = 3;

  /** After so many failures in a row another node may order a name. */
  private static final int MAX_CLAIM_FAILURES = 3;

  private final Path data;
  private final ClientTls tls;
  private final LongSupplier clockMillis;
  private final SecureRandom random;
  private final Duration answerLimit;
  private final AlpnChallenges alpn;
  private final ConfirmedChallenges confirmed = new ConfirmedChallenges();
  private final PendingChallenges challenges;
  private final AcmeCounters counters = new AcmeCounters();
  private final DailyLog failures;
  private final Semaphore wakeups = new Semaphore(0);

  /** Set by a reload, taken by the thread. */
  private volatile AcmeConfig wanted = AcmeConfig.OFF;

  private volatile boolean isClosed;

  /** The group of each authority; null where this node orders for itself alone. */
  private volatile @Nullable Function<String, AcmeOrderGroup> groups;

  private final OnDemandNames onDemand;

  // Of the thread, or of who calls step.
  private AcmeConfig config = AcmeConfig.OFF;
  private final Map<String, ManagedHost> hosts = new HashMap<>();
  private @Nullable AcmeFiles files;
  private @Nullable AcmeDirectory directory;
  private @Nullable OrderProgress progress;
  private @Nullable GroupCertificates group;
  private int directoryFailures;
  private long directoryDueMillis;

  private @Nullable Thread thread;

  CertificateManager(
      Path data,
      ClientTls tls,
      ChallengeTokens tokens,
      LongSupplier clockMillis,
      SecureRandom random,
      Duration answerLimit,
      Consumer<String> log) {
    this.failures = new DailyLog(log);
    this.data = data;
    this.tls = tls;
    this.clockMillis = clockMillis;
    this.random = random;
    this.answerLimit = answerLimit;
    this.alpn = new AlpnChallenges(tls, random);
    this.challenges = new PendingChallenges(tokens, alpn, confirmed);
    this.onDemand = new OnDemandNames(clockMillis, counters, wakeups::release);
  }

  /**
   * Puts the certificates of the data directory in use. Nothing is ordered before {@link #start}.
   *
   * @param data the data directory
   * @param tokens where plain text listeners find the answers to validations
   */
  public static CertificateManager open(
      AcmeConfig config,
      Path data,
      ClientTls tls,
      ChallengeTokens tokens,
      LongSupplier clockMillis) {
    CertificateManager manager =
        new CertificateManager(
            data,
            tls,
            tokens,
            clockMillis,
            new SecureRandom(),
            AcmeDirectory.ANSWER_LIMIT,
            LOG::warn);
    manager.begin(config);
    return manager;
  }

  /** Takes what is stored. */
  void begin(AcmeConfig first) {
    wanted = first;
    adopt(clockMillis.getAsLong());
  }

  /**
   * Orders together with other nodes from now on. Called before {@link #start}.
   *
   * @param byAuthority opens the group of an authority, by its name in {@link AcmeFiles}
   */
  public void join(Function<String, AcmeOrderGroup> byAuthority) {
    groups = byAuthority;
  }

  /** Begins to order and renew, when the listeners can answer validations. */
  public synchronized void start() {
    if (thread == null && wanted.isOn() && !isClosed) {
      thread = Thread.ofPlatform().daemon(true).name("acme").start(this::run);
    }
  }

  /** Takes another configuration, soon. Connections are left alone. */
  public void reconfigure(AcmeConfig next) {
    wanted = next;
    start();
    wakeups.release();
  }

  /** The validations by tls-alpn-01, for other nodes. */
  public AlpnChallenges alpn() {
    return alpn;
  }

  /** The answers that all nodes of a cluster give, as far as this one knows. */
  public ConfirmedChallenges confirmed() {
    return confirmed;
  }

  public AcmeCounters counters() {
    return counters;
  }

  private void run() {
    try {
      while (!isClosed) {
        long now = clockMillis.getAsLong();
        long most = groups == null ? MAX_SLEEP_MILLIS : GroupCertificates.PERIOD_MILLIS;
        long due = Math.min(safeStep(now), now + most);
        boolean ignored =
            wakeups.tryAcquire(Math.max(1, due - clockMillis.getAsLong()), TimeUnit.MILLISECONDS);
        wakeups.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A defect must not end the renewal of all names. */
  private long safeStep(long now) {
    try {
      return step(now);
    } catch (RuntimeException | LinkageError e) {
      LOG.error("acme: a step failed; the next one is in a minute", e);
      return Long.MAX_VALUE;
    }
  }

  /**
   * Does what is due.
   *
   * @return when something is due again
   */
  long step(long now) {
    adopt(now);
    addRequested(now);
    followGroup(now);
    long due = Long.MAX_VALUE;
    for (ManagedHost host : new ArrayList<>(hosts.values())) {
      if (isClosed) {
        break;
      }
      if (host.dueMillis <= now && directoryDueMillis <= now) {
        attempt(host, now);
      }
      if (hosts.containsKey(host.name)) {
        due = Math.min(due, Math.max(host.dueMillis, directoryDueMillis));
      }
    }
    summarize();
    return due;
  }

  // --- configuration ----------------------------------------------------------------------------

  private void adopt(long now) {
    AcmeConfig next = wanted;
    if (next.equals(config)) {
      return;
    }
    AcmeConfig before = config;
    config = next;
    GroupCertificates left = group;
    if (left != null) {
      left.leave();
    }
    closeDirectory();
    Map<String, CertificatePair> served = new HashMap<>();
    hosts.forEach((name, host) -> {
      challenges.clear(name);
      if (host.pair != null) {
        served.put(name, host.pair);
      }
    });
    hosts.clear();
    directoryFailures = 0;
    directoryDueMillis = 0;
    onDemand.policy(new OnDemandPolicy(next.onDemand(), next.onDemandPerHour()));
    tls.onDemand(next.onDemand().isEmpty() ? OnDemandCertificates.NONE : onDemand);
    if (next.isOn()) {
      AcmeFiles own = new AcmeFiles(data, next.directory());
      AcmeDirectory reached = new AcmeDirectory(next, own, random, clockMillis, answerLimit);
      files = own;
      directory = reached;
      progress = new OrderProgress(next, own, reached, challenges, counters, random);
      next.hosts().forEach(name -> add(name, false, own, now));
      storedOnDemand(own).forEach(name -> add(name, true, own, now));
      if (!before.directory().equals(next.directory())) {
        keepServing(served, now);
      }
    }
    publish();
  }

  private List<String> storedOnDemand(AcmeFiles own) {
    try {
      return own.hosts(OnDemandPolicy.MAX_NAMES).stream()
          .filter(name -> onDemand.matches(name) && !hosts.containsKey(name))
          .toList();
    } catch (IOException e) {
      LOG.error("the certificates in {} cannot be listed: {}", data, Printable.line(e));
      return List.of();
    }
  }

  /** Another authority has not issued yet: what the one before issued stays in use until then. */
  private void keepServing(Map<String, CertificatePair> served, long now) {
    served.forEach((name, pair) -> {
      ManagedHost host = hosts.get(name);
      if (host != null && host.pair == null) {
        host.pair = pair;
        host.renewAtMillis = now;
      }
    });
  }

  private void add(String name, boolean isOnDemand, AcmeFiles own, long now) {
    ManagedHost host = new ManagedHost(name, isOnDemand);
    host.dueMillis = now;
    hosts.put(name, host);
    try {
      host.pair = own.certificate(name);
      host.order = own.order(name);
      host.attemptBeganMillis = now;
      PendingOrder pending = host.order;
      host.attempts = pending == null ? 0 : pending.attempt();
    } catch (IOException e) {
      LOG.error("acme {}: its files cannot be read: {}", name, Printable.line(e));
    }
    CertificatePair pair = host.pair;
    if (pair != null) {
      host.renewAtMillis =
          RenewalPolicy.renewAtMillis(pair.leaf(), config.renewAtPercent(), random);
    }
  }

  private void addRequested(long now) {
    AcmeFiles own = files;
    for (String name : onDemand.requested()) {
      if (own == null || !onDemand.matches(name)) {
        onDemand.answer(name);
      } else if (!hosts.containsKey(name)) {
        add(name, true, own, now);
        publish();
      }
    }
  }

  // --- other nodes ------------------------------------------------------------------------------

  private void followGroup(long now) {
    Function<String, AcmeOrderGroup> byAuthority = groups;
    AcmeFiles own = files;
    if (byAuthority == null || own == null) {
      return;
    }
    GroupCertificates current = group;
    if (current == null) {
      current =
          new GroupCertificates(byAuthority.apply(own.authority()), own, counters, failures, now);
      group = current;
    }
    boolean isChanged = false;
    for (SharedCertificate shared : current.changes(hosts.values(), now)) {
      isChanged |= takeShared(current, own, shared, now);
    }
    if (isChanged) {
      publish();
    }
    current.settle(hosts, now);
  }

  private boolean takeShared(
      GroupCertificates from, AcmeFiles own, SharedCertificate shared, long now) {
    String name = shared.name();
    boolean isNew = !hosts.containsKey(name);
    if (isNew && (!onDemand.matches(name) || hosts.size() >= OnDemandPolicy.MAX_NAMES)) {
      return false;
    }
    if (isNew) {
      add(name, true, own, now);
    }
    ManagedHost host = Objects.requireNonNull(hosts.get(name));
    CertificatePair pair = from.take(host, shared, now);
    if (pair != null) {
      use(host, pair, now);
      onDemand.answer(name);
    } else if (isNew && host.pair == null) {
      // Nobody has asked this node for it.
      hosts.remove(name);
    }
    return pair != null || (isNew && host.pair != null);
  }

  // --- one name ---------------------------------------------------------------------------------

  private void attempt(ManagedHost host, long now) {
    OrderProgress orders = progress;
    CertificatePair served = host.pair;
    if (orders == null) {
      return;
    }
    if (host.order == null && served != null) {
      askRenewalInfo(host, served, now);
      long renewAt = Math.max(host.renewAtMillis, host.earliestRenewalMillis);
      if (now < renewAt) {
        host.dueMillis =
            config.renewalInfo()
                ? Math.min(renewAt, Math.max(host.renewalInfoAtMillis, now + 1))
                : renewAt;
        onDemand.answer(host.name);
        return;
      }
    }
    GroupCertificates others = group;
    if (others != null && !others.mayOrder(host, now)) {
      if (host.inGroup.isUnanswered()) {
        onDemand.answer(host.name);
      }
      return;
    }
    try {
      CertificatePair issued = orders.step(host, now);
      directoryFailures = 0;
      if (issued != null) {
        onIssued(host, issued, now);
      }
    } catch (OrderException e) {
      onFailed(host, e, now);
    }
  }

  /** Uses a certificate from now on; the order of the name is over. */
  private void use(ManagedHost host, CertificatePair pair, long now) {
    host.dueMillis = now;
    host.earliestRenewalMillis = now + MIN_RENEWAL_MILLIS;
    host.pair = pair;
    host.renewAtMillis = RenewalPolicy.renewAtMillis(pair.leaf(), config.renewAtPercent(), random);
    host.renewalInfoAtMillis = 0;
    host.failures = 0;
    host.inGroup.answered(true);
    endAttempt(host, true);
    failures.succeeded(subject(host));
  }

  private void onIssued(ManagedHost host, CertificatePair issued, long now) {
    use(host, issued, now);
    host.inGroup.issued(group != null);
    failures.succeeded(directorySubject());
    publish();
    onDemand.answer(host.name);
    LOG.info(
        "acme {}: certificate obtained, valid until {}",
        host.name,
        issued.leaf().getNotAfter().toInstant());
  }

  private void endAttempt(ManagedHost host, boolean isOrderOver) {
    if (isOrderOver) {
      host.order = null;
      host.isAnswering = false;
      host.sharedMillis = 0;
      challenges.clear(host.name);
    }
    host.polls = 0;
  }

  private void onFailed(ManagedHost host, OrderException failure, long now) {
    if (isClosed) {
      // The stop interrupted it; the next start goes on.
      return;
    }
    counters.failed(failure.failure());
    if (failure.failure() == AcmeFailure.UNREACHABLE) {
      directoryFailures++;
      directoryDueMillis =
          now + Backoff.millis(directoryFailures, failure.retryAfterMillis(), random);
      // The time of an outage is none of an order's, and another node may reach the authority.
      hosts
          .values()
          .forEach(each -> {
            each.attemptBeganMillis = directoryDueMillis;
            each.inGroup.yieldsUnlessIssued();
          });
      failures.failed(directorySubject(), failure.getMessage() + keepsServing(), now);
      // Handshakes do not wait for an authority that is down.
      onDemand.answerAll();
      dropLapsed(now);
      return;
    }
    host.failures++;
    host.attempts++;
    if (failure.failure() == AcmeFailure.STORAGE || host.failures % MAX_CLAIM_FAILURES == 0) {
      // Another node may do better; while one has the order, the authority sees one series.
      host.inGroup.yields();
    }
    host.dueMillis = now + Backoff.millis(host.failures, failure.retryAfterMillis(), random);
    host.attemptBeganMillis = host.dueMillis;
    failures.failed(
        subject(host),
        failure.getMessage() + (host.pair == null ? "" : "; the last certificate stays in use"),
        now);
    if (failure.isOrderOver()) {
      deleteOrder(host);
    }
    endAttempt(host, failure.isOrderOver());
    onDemand.answer(host.name);
    dropLapsed(now);
  }

  private void deleteOrder(ManagedHost host) {
    AcmeFiles own = files;
    try {
      if (own != null) {
        own.deleteOrder(host.name);
      }
    } catch (IOException e) {
      failures.failed(subject(host), Printable.line(e), clockMillis.getAsLong());
    }
  }

  /**
   * Names that nobody listed go when they cannot be had: without a certificate after a few
   * attempts, with one when it has expired. A handshake may bring them back.
   */
  private void dropLapsed(long now) {
    List<ManagedHost> lapsed =
        hosts.values().stream().filter(host -> host.isOnDemand && isLapsed(host, now)).toList();
    for (ManagedHost host : lapsed) {
      challenges.clear(host.name);
      deleteOrder(host);
      hosts.remove(host.name);
      failures.succeeded(subject(host));
      onDemand.answer(host.name);
      try {
        if (host.pair != null && files != null) {
          files.deleteCertificate(host.name);
        }
      } catch (IOException e) {
        LOG.warn("acme {}: its files cannot be removed: {}", host.name, Printable.line(e));
      }
    }
    if (!lapsed.isEmpty()) {
      publish();
    }
  }

  private static boolean isLapsed(ManagedHost host, long now) {
    CertificatePair pair = host.pair;
    return pair == null
        ? host.failures >= MAX_DROPPED_FAILURES
        : pair.leaf().getNotAfter().toInstant().toEpochMilli() < now;
  }

  private void askRenewalInfo(ManagedHost host, CertificatePair served, long now) {
    AcmeDirectory asked = directory;
    if (!config.renewalInfo()
        || asked == null
        || now < host.renewalInfoAtMillis
        || now >= host.renewAtMillis) {
      return;
    }
    host.renewalInfoAtMillis = now + RENEWAL_INFO_MILLIS;
    try {
      RenewalInfo info = asked.renewalInfo(served.leaf());
      if (info != null) {
        host.renewAtMillis =
            RenewalPolicy.earlierMillis(
                host.renewAtMillis,
                info.getSuggestedWindowStart().toEpochMilli(),
                info.getSuggestedWindowEnd().toEpochMilli(),
                random);
      }
    } catch (AcmeException | IOException | RuntimeException e) {
      OrderException failure = asked.failure(e);
      LOG.debug("acme {}: no renewal information: {}", host.name, failure.getMessage());
      if (failure.failure() == AcmeFailure.UNREACHABLE) {
        // One question that is not answered is enough for all names.
        hosts.values().forEach(each -> each.renewalInfoAtMillis = now + RENEWAL_INFO_MILLIS);
      }
    }
  }

  private static String subject(ManagedHost host) {
    return "acme " + host.name;
  }

  private String directorySubject() {
    return "acme " + config.directory();
  }

  private String keepsServing() {
    return hosts.values().stream().anyMatch(host -> host.pair != null)
        ? "; the last certificates stay in use"
        : "";
  }

  // --- what others see --------------------------------------------------------------------------

  private void publish() {
    Map<String, CertificatePair> pairs = new HashMap<>();
    hosts.forEach((name, host) -> {
      if (host.pair != null) {
        pairs.put(name, host.pair);
      }
    });
    onDemand.known(Set.copyOf(hosts.keySet()));
    tls.manage(pairs);
    summarize();
  }

  private void summarize() {
    int withCertificate = 0;
    int failing = 0;
    for (ManagedHost host : hosts.values()) {
      withCertificate += host.pair == null ? 0 : 1;
      boolean isHeldUp =
          host.inGroup.isUnanswered()
              || (directoryFailures > 0 && host.dueMillis <= directoryDueMillis);
      failing += host.failures > 0 || isHeldUp ? 1 : 0;
    }
    counters.summary = new AcmeCounters.Summary(hosts.size(), withCertificate, failing);
  }

  private void closeDirectory() {
    AcmeDirectory open = directory;
    directory = null;
    progress = null;
    files = null;
    group = null;
    if (open != null) {
      open.close();
    }
  }

  /** No step begins any more; one under way is interrupted. Orders go on after the next start. */
  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      isClosed = true;
      running = thread;
    }
    wakeups.release();
    onDemand.close();
    if (running == null) {
      closeDirectory();
      return;
    }
    running.interrupt();
    boolean isInterrupted = false;
    try {
      running.join(Duration.ofSeconds(5));
    } catch (InterruptedException e) {
      isInterrupted = true;
    }
    closeDirectory();
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
