package io.forebay.server.tls;

import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.TlsConfig;
import io.forebay.server.tls.ocsp.OcspClient;
import io.netty.handler.ssl.OpenSsl;
import io.netty.util.NetUtil;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates in use, and their periodic maintenance: rotates ticket keys, fetches OCSP
 * responses, and warns about certificates that expire.
 *
 * <p>Loops read the table and nothing else of it. Changes come from the thread of a start or a
 * reload, and from two threads of its own, {@code tls} and {@code ocsp}.
 */
public final class ClientTls implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientTls.class);

  /** What a validation by tls-alpn-01 speaks, and nothing else (RFC 8737 §3). */
  public static final String CHALLENGE_PROTOCOL = "acme-tls/1";

  private static final long PERIOD_SECONDS = 60;

  private final LongSupplier clockMillis;
  private final RandomGenerator random;
  private final OcspStapler stapler;
  private final PeriodicThread thread = new PeriodicThread();

  private volatile SniTable table = SniTable.EMPTY;

  // Changed under this object's lock.
  private Map<String, TlsHost> hosts = Map.of();
  private SniTable configured = SniTable.EMPTY;
  private Map<String, CertificatePair> ordered = Map.of();

  /** Those of {@code ordered} by name. */
  private Map<String, TlsHost> managed = Map.of();

  private Map<String, TlsHost> challenges = Map.of();
  private OnDemandCertificates onDemand = OnDemandCertificates.NONE;
  private TlsConfig config;
  private TicketKeys tickets;

  /** Those of {@code tickets}, for loops. */
  private volatile List<byte[]> ticketKeys;

  private String ticketProblem = "";
  private final ExpiryWatch expiry = new ExpiryWatch();

  ClientTls(TlsConfig config, LongSupplier clockMillis, RandomGenerator random, OcspStapler stapler)
      throws TlsException {
    this.config = config;
    this.clockMillis = clockMillis;
    this.random = random;
    this.stapler = stapler;
    this.tickets = TicketKeys.of(config.tickets(), random, clockMillis.getAsLong());
    this.ticketKeys = tickets.keys();
  }

  /**
   * Everything that is wrong with the certificates of a configuration, as far as it shows without a
   * client; {@link TlsReload#errors} also has what has expired.
   */
  public static TlsReload check(ServerConfig config, Instant now) {
    TlsReload stage =
        TlsReload.of(config.tls(), config.listeners(), TlsReload.Purpose.CHECK, Map.of(), now);
    try {
      TicketKeys ignored =
          TicketKeys.of(config.tls().tickets(), new SecureRandom(), now.toEpochMilli());
    } catch (TlsException e) {
      stage.errors().addAll(e.lines());
    }
    return stage;
  }

  /**
   * Puts the certificates of a configuration in force and keeps them up to date from here on.
   * Called before loops are pinned.
   *
   * @throws TlsException when one of them cannot be used
   */
  public static ClientTls open(ServerConfig config, LongSupplier clockMillis) throws TlsException {
    ClientTls tls =
        new ClientTls(
            config.tls(),
            clockMillis,
            new SecureRandom(),
            new OcspStapler(clockMillis, new OcspClient()));
    TlsReload stage = tls.stage(config.tls(), config.listeners(), TlsReload.Purpose.START);
    tls.commit(stage, config.tls());
    if (!stage.hosts().isEmpty() && !OpenSsl.isAvailable()) {
      LOG.warn(
          "BoringSSL cannot be loaded; using the JDK's slower TLS, without tickets shared between"
              + " nodes and without OCSP: {}",
          String.valueOf(OpenSsl.unavailabilityCause()));
    }
    if (config.listeners().stream().anyMatch(ListenerConfig::isTls)) {
      tls.thread.start("tls", PERIOD_SECONDS, tls::step);
      tls.stapler.start();
    }
    return tls;
  }

  /** The table of this moment. */
  public SniTable table() {
    return table;
  }

  /**
   * Makes ready what a running node is to serve next.
   *
   * @throws TlsException when something of it cannot be used; nothing has changed then
   */
  public TlsReload stage(TlsConfig next, List<ListenerConfig> listeners) throws TlsException {
    return stage(next, listeners, TlsReload.Purpose.RELOAD);
  }

  TlsReload stage(TlsConfig next, List<ListenerConfig> listeners, TlsReload.Purpose purpose)
      throws TlsException {
    Map<String, TlsHost> before;
    synchronized (this) {
      before = hosts;
    }
    TlsReload stage =
        TlsReload.of(
            next, listeners, purpose, before, Instant.ofEpochMilli(clockMillis.getAsLong()));
    if (next.tickets().file() != null) {
      TicketKeys ignored = TicketKeys.of(next.tickets(), random, 0);
    }
    if (!stage.errors().isEmpty()) {
      throw new TlsException(stage.errors());
    }
    return stage;
  }

  /** Puts a stage in force: for handshakes from now on, connections are left alone. */
  public void commit(TlsReload stage, TlsConfig next) {
    stage.warnings().forEach(LOG::warn);
    synchronized (this) {
      try {
        boolean isSame = next.tickets().equals(tickets.config());
        if (!isSame || next.tickets().file() != null) {
          tickets = TicketKeys.of(next.tickets(), random, clockMillis.getAsLong());
        }
      } catch (TlsException e) {
        // The file went away between the stage and now; the keys from before still work.
        LOG.warn("{}", e.getMessage());
      }
      config = next;
      hosts = Map.copyOf(stage.hosts());
      configured = stage.table();
      manage(ordered);
    }
  }

  /**
   * Serves certificates that were ordered, by host, in place of those given before. A name of
   * {@code certificates} keeps that one. A certificate that cannot be used is left out with a line
   * in the log, and the one that its host had before stays.
   */
  public synchronized void manage(Map<String, CertificatePair> certificates) {
    ordered = Map.copyOf(certificates);
    Map<String, TlsHost> next = new HashMap<>();
    certificates.forEach((name, pair) -> {
      TlsHost known = managed.get(name);
      TlsHostSettings settings = TlsHostSettings.ofManaged("acme " + name, pair, config);
      TlsHost host = known;
      if (known == null || !Arrays.equals(known.fingerprint(), settings.fingerprint())) {
        try {
          TlsHost made = new TlsHost(settings);
          TrialHandshake.with(made);
          host = made;
        } catch (TlsException e) {
          LOG.error("{}: {}", settings.name(), e.getMessage());
        }
      }
      if (host != null) {
        next.put(name, host);
      }
    });
    managed = Map.copyOf(next);
    applyTickets();
    stapler.serves(config.ocsp() ? all() : List.of());
    table = configured.with(managed, challenges, onDemand);
  }

  /** Who is asked for certificates of names that have none. */
  public synchronized void onDemand(OnDemandCertificates source) {
    onDemand = source;
    table = configured.with(managed, challenges, onDemand);
  }

  /**
   * Answers validations by tls-alpn-01, by host, in place of those given before.
   *
   * @throws TlsException when one of the certificates cannot be used; nothing has changed then
   */
  public synchronized void challenges(Map<String, CertificatePair> pending) throws TlsException {
    Map<String, TlsHost> next = new HashMap<>();
    for (Map.Entry<String, CertificatePair> one : pending.entrySet()) {
      TlsHostSettings settings =
          TlsHostSettings.ofChallenge("challenge " + one.getKey(), one.getValue());
      TlsHost known = challenges.get(one.getKey());
      next.put(
          one.getKey(),
          known != null && Arrays.equals(known.fingerprint(), settings.fingerprint())
              ? known
              : new TlsHost(settings));
    }
    challenges = Map.copyOf(next);
    table = configured.with(managed, challenges, onDemand);
  }

  private List<TlsHost> all() {
    List<TlsHost> all = new ArrayList<>(hosts.values());
    all.addAll(managed.values());
    return all;
  }

  /** Does what is due by the clock. */
  synchronized void step() {
    long now = clockMillis.getAsLong();
    try {
      if (tickets.step(now)) {
        applyTickets();
      }
      ticketProblem = "";
    } catch (TlsException e) {
      String problem = String.valueOf(e.getMessage());
      if (!problem.equals(ticketProblem)) {
        ticketProblem = problem;
        LOG.warn("{}; the previous keys stay in use", problem);
      }
    }
    expiry.due(all(), config.expiryWarning(), now).forEach(LOG::warn);
  }

  /** Bytes of a ticket key. */
  public static final int TICKET_KEY_BYTES = TicketKeys.KEY_LENGTH;

  /** For how long ticket keys of the cluster encrypt; zero where this node uses none. */
  public synchronized Duration sharedTicketRotation() {
    return tickets.isSharing() ? tickets.config().rotation() : Duration.ZERO;
  }

  /** Uses the ticket keys of the cluster, the first of which encrypts, unless a file has some. */
  public synchronized void shareTicketKeys(List<byte[]> keys) {
    if (tickets.share(keys)) {
      applyTickets();
    }
  }

  /**
   * Goes on with the ticket keys of the process before this one, where both generate theirs.
   *
   * @param madeAtMillis when the first was made: it is replaced when it would have been there
   */
  public synchronized void inheritTicketKeys(List<byte[]> keys, long madeAtMillis) {
    if (tickets.inherit(keys, madeAtMillis)) {
      applyTickets();
    }
  }

  /** When the first of the ticket keys was made. */
  public synchronized long ticketKeysMadeAtMillis() {
    return tickets.madeAtMillis();
  }

  private void applyTickets() {
    all().forEach(host -> tickets.applyTo(host.context()));
    ticketKeys = tickets.keys();
  }

  /**
   * The keys of session tickets of this moment: the first encrypts, all decrypt. Empty where
   * tickets are off. Other keys are another list.
   */
  public List<byte[]> ticketKeys() {
    return ticketKeys;
  }

  /** What is in force, for metrics and people. */
  public List<CertificateStatus> statuses() {
    SniTable current = table;
    List<CertificateStatus> statuses = new ArrayList<>();
    for (TlsHost host : current.hosts()) {
      List<String> names = current.namesOf(host);
      for (CertificatePair pair : host.settings().pairs()) {
        X509Certificate leaf = pair.leaf();
        statuses.add(
            new CertificateStatus(
                host.name(),
                pair.kind(),
                names,
                leaf.getNotAfter().toInstant(),
                stapler.stapledUntil(leaf)));
      }
    }
    return statuses;
  }

  /** What each listener would show who asks for a host, by its name or its address. */
  public List<TlsPreview> forecasts(String host) {
    SniTable current = table;
    // Addresses are not asked for by name (RFC 6066 §3).
    boolean isAddress = NetUtil.isValidIpV4Address(host) || host.indexOf(':') >= 0;
    String name = isAddress ? null : host;
    List<TlsPreview> forecasts = new ArrayList<>();
    for (String listener : current.listeners()) {
      TlsHost shown = current.of(listener, name);
      if (shown != null) {
        forecasts.add(TlsPreview.of(current, listener, shown, name));
      }
    }
    return forecasts;
  }

  @Override
  public void close() {
    thread.close();
    stapler.close();
  }
}
