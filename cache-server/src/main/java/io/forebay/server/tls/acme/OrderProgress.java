package io.forebay.server.tls.acme;

import io.forebay.server.config.AcmeConfig;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.CertificatePair;
import io.forebay.server.tls.TlsException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.Order;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.challenge.Challenge;
import org.shredzone.acme4j.challenge.Http01Challenge;
import org.shredzone.acme4j.challenge.TlsAlpn01Challenge;
import org.shredzone.acme4j.exception.AcmeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries orders on, one step a call, by the state that the authority reports (RFC 8555 §7.1.6):
 *
 * <pre>
 *   (none) ─► pending ─► ready ─► processing ─► valid
 *     │         │ publish the answer, │ CSR        │ download, check, store
 *     │         │ await other nodes,  │            │
 *     │         │ ask for validation  ▼            ▼
 *     └ key and URL stored      poll again    CertificatePair
 *   any state ─► invalid: the order is over
 * </pre>
 *
 * <p>An order is stored as soon as it is known, so that a restart continues it. Nothing waits here:
 * a step says when the next one is due. Confined to the manager's thread.
 */
final class OrderProgress {
  private static final Logger LOG = LoggerFactory.getLogger(OrderProgress.class);

  private static final long FIRST_POLL_MILLIS = 500;
  private static final long MAX_POLL_MILLIS = 10_000;
  private static final long MAX_ASKED_POLL_MILLIS = Duration.ofMinutes(5).toMillis();
  private static final long ATTEMPT_MILLIS = Duration.ofMinutes(10).toMillis();
  private static final long ORDER_MILLIS = Duration.ofDays(1).toMillis();
  private static final int MAX_CHAIN = 10;

  /**
   * For so long an order waits for nodes of the cluster that do not confirm the answer. Five times
   * what they need, as they may be busy.
   */
  private static final long MAX_SHARE_MILLIS = 10_000;

  private static final long SHARE_POLL_MILLIS = 500;

  private final AcmeConfig config;
  private final AcmeFiles files;
  private final AcmeDirectory directory;
  private final PendingChallenges challenges;
  private final AcmeCounters counters;
  private final SecureRandom random;

  OrderProgress(
      AcmeConfig config,
      AcmeFiles files,
      AcmeDirectory directory,
      PendingChallenges challenges,
      AcmeCounters counters,
      SecureRandom random) {
    this.config = config;
    this.files = files;
    this.directory = directory;
    this.challenges = challenges;
    this.counters = counters;
    this.random = random;
  }

  /**
   * Does one step.
   *
   * @return the certificate when it is stored; null while the order goes on, at {@code dueMillis}
   */
  @Nullable CertificatePair step(ManagedHost host, long now) throws OrderException {
    if (awaitsNodes(host, now)) {
      host.dueMillis = Math.min(now + SHARE_POLL_MILLIS, host.sharedMillis + MAX_SHARE_MILLIS);
      return null;
    }
    try {
      PendingOrder pending = host.order;
      Order order;
      if (pending == null) {
        order = begin(host, now);
        pending = host.order;
      } else {
        order = directory.resume(pending);
      }
      if (pending == null) {
        throw new IllegalStateException("an order was begun");
      }
      return advance(host, pending, order, now);
    } catch (AcmeException | IOException | RuntimeException e) {
      throw directory.failure(e);
    }
  }

  /**
   * Whether other nodes lack the answer. The authority may reach any node, and does not ask again.
   * A node that does not confirm in time costs an attempt, if it is asked at all.
   */
  private boolean awaitsNodes(ManagedHost host, long now) {
    return host.sharedMillis != 0
        && !host.isAnswering
        && !challenges.isConfirmed(host.name)
        && now - host.sharedMillis < MAX_SHARE_MILLIS;
  }

  private Order begin(ManagedHost host, long now) throws AcmeException, IOException {
    KeyPair key = KeyPairs.generate(config.keyType(), random);
    CertificatePair served = host.pair;
    // An authority may refuse the mark that this order replaces a certificate: then without it.
    // It also may refuse one that the account of another node ordered.
    X509Certificate replaced =
        served == null || host.failures > 0 || host.inGroup.isFromOther() || !config.renewalInfo()
            ? null
            : served.leaf();
    Order order = directory.begin(host.name, replaced);
    host.attemptBeganMillis = now;
    host.sharedMillis = 0;
    host.polls = 0;
    PendingOrder pending = new PendingOrder(order.getLocation(), key, now, host.attempts);
    host.order = pending;
    counters.orders.incrementAndGet();
    files.order(host.name, pending);
    return order;
  }

  private @Nullable CertificatePair advance(
      ManagedHost host, PendingOrder pending, Order order, long now)
      throws AcmeException, IOException, OrderException {
    switch (order.getStatus()) {
      case PENDING -> {
        if (!host.isAnswering) {
          boolean mayAsk = !challenges.isShared() || host.sharedMillis != 0;
          answer(host, pending, order, mayAsk);
          if (!mayAsk) {
            host.sharedMillis = now;
            host.dueMillis = now + SHARE_POLL_MILLIS;
            return null;
          }
        }
      }
      case READY -> {
        order.execute(pending.key(), csr -> {});
      }
      case PROCESSING -> {}
      case VALID -> {
        return take(host, pending, order, now);
      }
      default -> throw invalid(order);
    }
    if (now - host.attemptBeganMillis > ATTEMPT_MILLIS) {
      throw new OrderException(
          AcmeFailure.VALIDATION,
          "the order is still " + order.getStatus() + " after ten minutes",
          0,
          now - pending.createdMillis() > ORDER_MILLIS);
    }
    long asked = Math.min(directory.retryAfterMillis(), MAX_ASKED_POLL_MILLIS);
    long own = Math.min(FIRST_POLL_MILLIS << Math.min(host.polls++, 8), MAX_POLL_MILLIS);
    host.dueMillis = now + Math.max(own, asked);
    return null;
  }

  /**
   * Publishes the answers, and asks for validation.
   *
   * @param isAsking false where other nodes have to get the answers first
   */
  private void answer(ManagedHost host, PendingOrder pending, Order order, boolean isAsking)
      throws AcmeException, IOException, OrderException {
    for (Authorization authorization : order.getAuthorizations()) {
      if (authorization.getStatus() != Status.PENDING) {
        continue;
      }
      Challenge challenge = challenge(authorization, pending.attempt());
      if (challenge instanceof Http01Challenge http) {
        challenges.token(host.name, http.getToken(), http.getAuthorization());
      } else if (challenge instanceof TlsAlpn01Challenge alpn) {
        try {
          challenges.hash(host.name, alpn.getAcmeValidation());
        } catch (TlsException e) {
          throw new IOException("the certificate of the challenge cannot be served", e);
        }
      }
      if (isAsking && challenge.getStatus() == Status.PENDING) {
        challenge.trigger();
      }
    }
    host.isAnswering = isAsking;
    if (isAsking && challenges.isShared() && !challenges.isConfirmed(host.name)) {
      counters.unconfirmed.incrementAndGet();
      List<String> behind = challenges.behind();
      LOG.warn(
          "acme {}: the node asks for the validation, although these nodes have not confirmed that"
              + " they give the answer: {}",
          host.name,
          behind.isEmpty() ? "all others, as etcd does not answer" : String.join(", ", behind));
    }
  }

  /** The attempt's challenge, or the next that the authority offers. */
  private Challenge challenge(Authorization authorization, int attempt) throws OrderException {
    List<AcmeConfig.Challenge> order = config.challenges();
    for (int i = 0; i < order.size(); i++) {
      String type =
          switch (order.get((attempt + i) % order.size())) {
            case HTTP_01 -> Http01Challenge.TYPE;
            case TLS_ALPN_01 -> TlsAlpn01Challenge.TYPE;
          };
      for (Challenge offered : authorization.getChallenges()) {
        if (offered.getType().equals(type)) {
          return offered;
        }
      }
    }
    throw new OrderException(
        AcmeFailure.VALIDATION,
        "the authority offers none of the challenges in tls.acme.challenges",
        0,
        true);
  }

  private OrderException invalid(Order order) throws AcmeException {
    StringBuilder why = new StringBuilder();
    order.getError().ifPresent(problem -> why.append(problem));
    for (Authorization authorization : order.getAuthorizations()) {
      for (Challenge challenge : authorization.getChallenges()) {
        challenge
            .getError()
            .ifPresent(problem ->
                why.append(why.isEmpty() ? "" : "; ")
                    .append(challenge.getType())
                    .append(": ")
                    .append(problem));
      }
    }
    return new OrderException(
        AcmeFailure.VALIDATION,
        "the authority could not validate the name: " + Printable.line(why.toString()),
        0,
        true);
  }

  private CertificatePair take(ManagedHost host, PendingOrder pending, Order order, long now)
      throws AcmeException, IOException, OrderException {
    List<X509Certificate> chain = order.getCertificate().getCertificateChain();
    String problem = problem(chain, pending, host.name, now);
    if (problem != null) {
      throw new OrderException(AcmeFailure.CERTIFICATE, problem, 0, true);
    }
    CertificatePair pair = files.certificate(host.name, chain, pending.key().getPrivate());
    files.deleteOrder(host.name);
    counters.issued.incrementAndGet();
    return pair;
  }

  private static @Nullable String problem(
      List<X509Certificate> chain, PendingOrder pending, String host, long now) {
    if (chain.isEmpty() || chain.size() > MAX_CHAIN) {
      return "the authority sent " + chain.size() + " certificates";
    }
    Path nowhere = Path.of(host);
    CertificatePair pair = new CertificatePair(nowhere, nowhere, chain, pending.key().getPrivate());
    if (!Arrays.equals(
        pair.leaf().getPublicKey().getEncoded(), pending.key().getPublic().getEncoded())) {
      return "the authority sent a certificate of another key";
    }
    if (!pair.covers(host)) {
      return "the authority sent a certificate that is not for this name";
    }
    return pair.leaf().getNotAfter().toInstant().toEpochMilli() <= now
        ? "the authority sent a certificate that has expired"
        : null;
  }
}
