package io.forebay.server.tls.acme;

import io.forebay.server.config.AcmeConfig;
import io.forebay.server.config.AcmeConfig.KeyType;
import io.forebay.server.config.Secret;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.net.URL;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.AccountBuilder;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Order;
import org.shredzone.acme4j.OrderBuilder;
import org.shredzone.acme4j.RenewalInfo;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.connector.Resource;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeNetworkException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;

/**
 * One authority and the node's account there. The account is made with the first order; its key is
 * on disk before the authority hears of it. Confined to the manager's thread; blocks.
 */
final class AcmeDirectory implements AutoCloseable {
  static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

  private final AcmeConfig config;
  private final AcmeFiles files;
  private final SecureRandom random;
  private final LastAnswer last;
  private final Duration answerLimit;

  private @Nullable Session session;
  private @Nullable Login login;

  AcmeDirectory(
      AcmeConfig config,
      AcmeFiles files,
      SecureRandom random,
      LongSupplier clockMillis,
      Duration answerLimit) {
    this.config = config;
    this.files = files;
    this.random = random;
    this.last = new LastAnswer(clockMillis);
    this.answerLimit = answerLimit;
  }

  private Session session() throws IOException {
    Session known = session;
    if (known == null) {
      known =
          new Session(config.directory(), BoundedProvider.of(config, last, answerLimit.toMillis()));
      known.setLocale(Locale.ENGLISH);
      known.networkSettings().setTimeout(answerLimit);
      known.networkSettings().setCompressionEnabled(false);
      session = known;
    }
    return known;
  }

  private Login login() throws AcmeException, IOException {
    Login known = login;
    if (known != null) {
      return known;
    }
    KeyPair key = files.accountKey();
    URL url = key == null ? null : files.accountUrl();
    if (key == null) {
      key = KeyPairs.generate(KeyType.ECDSA_P256, random);
      files.accountUrl(null);
      files.accountKey(key);
    }
    if (url != null) {
      known = session().login(url, key);
    } else {
      known = account(key).createLogin(session());
      files.accountUrl(known.getAccountLocation());
    }
    login = known;
    return known;
  }

  /** With a key that the authority knows, this leads to the account that has it. */
  private AccountBuilder account(KeyPair key) {
    AccountBuilder account = new AccountBuilder().useKeyPair(key);
    if (config.termsAgreed()) {
      account.agreeToTermsOfService();
    }
    if (config.email() != null) {
      account.addEmail(config.email());
    }
    Secret secret = config.eabSecret();
    if (config.eabKeyId() != null && secret != null) {
      account.withKeyIdentifier(config.eabKeyId(), secret.value());
    }
    return account;
  }

  /**
   * Begins an order.
   *
   * @param replaced the certificate that it renews, or null
   */
  Order begin(String host, @Nullable X509Certificate replaced) throws AcmeException, IOException {
    Login account = login();
    OrderBuilder order = account.newOrder().domain(host);
    if (replaced != null && session().resourceUrlOptional(Resource.RENEWAL_INFO).isPresent()) {
      order.replaces(replaced);
    }
    return order.create();
  }

  /** An order that was begun, as the authority has it now. */
  Order resume(PendingOrder pending) throws AcmeException, IOException {
    Order order = login().bindOrder(pending.location());
    var ignored = order.fetch();
    return order;
  }

  /** When the authority wants a certificate renewed; null where it does not say. */
  @Nullable RenewalInfo renewalInfo(X509Certificate certificate) throws AcmeException, IOException {
    if (session().resourceUrlOptional(Resource.RENEWAL_INFO).isEmpty()) {
      return null;
    }
    RenewalInfo info = login().bindRenewalInfo(certificate);
    var ignored = info.fetch();
    return info;
  }

  /** What the authority asked to wait in its last answer, or 0. */
  long retryAfterMillis() {
    return last.retryAfterMillis();
  }

  /** What a failed request means. */
  OrderException failure(Exception thrown) {
    Throwable cause = thrown;
    // What is loaded lazily wraps what went wrong.
    while (cause.getCause() instanceof AcmeException within) {
      cause = within;
    }
    String text = text(cause);
    if (cause instanceof AcmeRateLimitedException || last.isRateLimited()) {
      return new OrderException(
          AcmeFailure.RATE_LIMITED,
          "the authority limits requests: " + text,
          retryAfterMillis(),
          false);
    }
    if (last.isServerError()) {
      return new OrderException(
          AcmeFailure.UNREACHABLE, "the authority fails: " + text, retryAfterMillis(), false);
    }
    if (cause instanceof AcmeNetworkException) {
      return new OrderException(
          AcmeFailure.UNREACHABLE, "the authority cannot be reached: " + text, 0, false);
    }
    if (cause instanceof AcmeServerException refused) {
      if (refused.getProblem().getType().toString().endsWith(":accountDoesNotExist")) {
        forgetAccount();
      }
      return new OrderException(
          AcmeFailure.REFUSED, "the authority refuses: " + text, retryAfterMillis(), true);
    }
    if (cause instanceof IOException) {
      return new OrderException(AcmeFailure.STORAGE, text, 0, false);
    }
    return cause instanceof AcmeException
        ? new OrderException(
            AcmeFailure.REFUSED, "the authority refuses: " + text, retryAfterMillis(), true)
        : new OrderException(
            AcmeFailure.MALFORMED, "the authority's answer is not ACME: " + text, 0, false);
  }

  private void forgetAccount() {
    login = null;
    try {
      files.accountUrl(null);
    } catch (IOException e) {
      // The next attempt meets the same answer, and tries again.
      return;
    }
  }

  private static String text(Throwable failure) {
    String text = "";
    for (Throwable t = failure; t != null; t = t.getCause()) {
      String message = t.getMessage();
      text = message == null || message.isEmpty() ? t.getClass().getSimpleName() : message;
      if (!(t instanceof AcmeNetworkException)) {
        break;
      }
    }
    return Printable.shown(text);
  }

  @Override
  public void close() {
    Session opened = session;
    if (opened != null) {
      opened.getHttpClient().shutdownNow();
    }
  }
}
