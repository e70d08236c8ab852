package io.forebay.server.tls;

import io.forebay.server.tls.ocsp.Der.DerException;
import io.forebay.server.tls.ocsp.Ocsp;
import io.forebay.server.tls.ocsp.OcspClient;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an OCSP response for each certificate that names a responder. It is renewed after half of
 * its validity; if that fails, it is stapled until it expires. It is dropped at once when a valid
 * response reports that the certificate is revoked, because stapling the older one would tell
 * clients for days that it is good. Handshakes never wait for it.
 */
final class OcspStapler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OcspStapler.class);

  private static final long PERIOD_SECONDS = 30;
  private static final long FIRST_RETRY_MILLIS = Duration.ofMinutes(5).toMillis();
  private static final long LAST_RETRY_MILLIS = Duration.ofHours(1).toMillis();
  private static final long MIN_MILLIS = Duration.ofMinutes(5).toMillis();
  private static final long MAX_MILLIS = Duration.ofHours(12).toMillis();

  private final LongSupplier clockMillis;
  private final OcspClient client;
  private final PeriodicThread thread = new PeriodicThread();

  // Under this object's lock; questions are asked outside of it.
  private List<TlsHost> hosts = List.of();
  private Map<X509Certificate, Entry> entries = new HashMap<>();

  /** What is known of one certificate. */
  private static final class Entry {
    Ocsp.@Nullable Answer answer;
    long dueAtMillis;
    long retryMillis = FIRST_RETRY_MILLIS;
  }

  private record Question(X509Certificate certificate, X509Certificate issuer, URI responder) {}

  OcspStapler(LongSupplier clockMillis, OcspClient client) {
    this.clockMillis = clockMillis;
    this.client = client;
  }

  void start() {
    thread.start("ocsp", PERIOD_SECONDS, this::step);
  }

  /** Whose certificates answers are wanted for; what is known of them is stapled at once. */
  synchronized void serves(List<TlsHost> next) {
    for (TlsHost before : hosts) {
      if (!next.contains(before)) {
        for (int i = 0; i < before.settings().pairs().size(); i++) {
          staple(before, i, null);
        }
      }
    }
    hosts = next;
    Map<X509Certificate, Entry> kept = new HashMap<>();
    for (TlsHost host : next) {
      List<CertificatePair> pairs = host.settings().pairs();
      for (int i = 0; i < pairs.size(); i++) {
        X509Certificate leaf = pairs.get(i).leaf();
        Entry entry = entries.get(leaf);
        if (entry != null) {
          kept.put(leaf, entry);
          staple(host, i, entry.answer);
        }
      }
    }
    entries = kept;
  }

  /** End of the answer that is stapled, or null where there is none. */
  synchronized @Nullable Instant stapledUntil(X509Certificate leaf) {
    Entry entry = entries.get(leaf);
    Ocsp.Answer answer = entry == null ? null : entry.answer;
    return answer == null ? null : answer.until();
  }

  /** Fetches what is due, one after the other. */
  void step() throws InterruptedException {
    for (Question question : due()) {
      if (thread.isClosed()) {
        return;
      }
      ask(question);
    }
  }

  private synchronized List<Question> due() {
    long now = clockMillis.getAsLong();
    Map<X509Certificate, Question> due = new HashMap<>();
    for (TlsHost host : hosts) {
      List<CertificatePair> pairs = host.settings().pairs();
      for (int i = 0; i < pairs.size(); i++) {
        List<X509Certificate> chain = pairs.get(i).chain();
        URI responder = chain.size() < 2 ? null : Ocsp.responder(chain.get(0));
        if (responder == null) {
          continue;
        }
        Entry entry = entries.computeIfAbsent(chain.get(0), leaf -> new Entry());
        Ocsp.Answer answer = entry.answer;
        Instant until = answer == null ? null : answer.until();
        if (until != null && until.toEpochMilli() <= now) {
          staple(chain.get(0), entry, null);
          LOG.warn("{}: the OCSP response has expired, nothing is stapled", host.name());
        }
        if (entry.dueAtMillis <= now) {
          due.put(chain.get(0), new Question(chain.get(0), chain.get(1), responder));
        }
      }
    }
    return List.copyOf(due.values());
  }

  private void ask(Question question) throws InterruptedException {
    Instant now = Instant.ofEpochMilli(clockMillis.getAsLong());
    Exception failure;
    try {
      byte[] bytes =
          client.ask(question.responder(), Ocsp.request(question.certificate(), question.issuer()));
      onAnswer(
          question.certificate(),
          Ocsp.checked(bytes, question.certificate(), question.issuer(), now));
      return;
    } catch (IOException | DerException | GeneralSecurityException e) {
      failure = e;
    }
    onFailure(question, failure);
  }

  private synchronized void onAnswer(X509Certificate certificate, Ocsp.Answer answer) {
    Entry entry = entries.get(certificate);
    if (entry == null) {
      return;
    }
    long now = clockMillis.getAsLong();
    Instant until = answer.until();
    long half =
        until == null
            ? MIN_MILLIS
            : Duration.between(answer.from(), until).toMillis() / 2
                - (now - answer.from().toEpochMilli());
    entry.dueAtMillis = now + Math.clamp(half, MIN_MILLIS, MAX_MILLIS);
    entry.retryMillis = FIRST_RETRY_MILLIS;
    staple(certificate, entry, answer);
  }

  private synchronized void onFailure(Question question, Exception failure) {
    Entry entry = entries.get(question.certificate());
    if (entry == null) {
      return;
    }
    entry.dueAtMillis = clockMillis.getAsLong() + entry.retryMillis;
    entry.retryMillis = Math.min(LAST_RETRY_MILLIS, entry.retryMillis * 2);
    String name = question.certificate().getSubjectX500Principal().getName();
    if (Ocsp.isRevoked(failure)) {
      staple(question.certificate(), entry, null);
      LOG.error(
          "{} reports that the certificate of {} is revoked; it is served until it is"
              + " replaced, and nothing is stapled",
          question.responder(),
          name);
      return;
    }
    LOG.warn(
        "OCSP response from {} for {}: {}; {}",
        question.responder(),
        name,
        failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage(),
        entry.answer == null
            ? "nothing is stapled"
            : "the previous one is stapled until it expires");
  }

  /** To all hosts that have the certificate. */
  private void staple(X509Certificate certificate, Entry entry, Ocsp.@Nullable Answer answer) {
    entry.answer = answer;
    for (TlsHost host : hosts) {
      List<CertificatePair> pairs = host.settings().pairs();
      for (int i = 0; i < pairs.size(); i++) {
        if (pairs.get(i).leaf().equals(certificate)) {
          staple(host, i, answer);
        }
      }
    }
  }

  private static void staple(TlsHost host, int pair, Ocsp.@Nullable Answer answer) {
    try {
      host.staple(pair, answer == null ? null : answer.bytes());
    } catch (TlsException e) {
      LOG.warn("{}: OCSP response not stapled: {}", host.name(), e.getMessage());
    }
  }

  @Override
  public void close() {
    thread.close();
    client.close();
  }
}
