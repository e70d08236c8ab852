package io.forebay.server.tls.acme;

import io.forebay.server.config.AcmeConfig;
import io.forebay.server.tls.PemFile;
import io.forebay.server.tls.TlsException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.connector.Connection;
import org.shredzone.acme4j.connector.HttpConnector;
import org.shredzone.acme4j.connector.NetworkSettings;
import org.shredzone.acme4j.provider.AbstractAcmeProvider;

/** How acme4j reaches one authority: with the roots that are configured, within bounds. */
final class BoundedProvider extends AbstractAcmeProvider {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private final @Nullable SSLContext context;
  private final LastAnswer last;
  private final long limitMillis;
  private final boolean requiresTls;

  private BoundedProvider(
      @Nullable SSLContext context, LastAnswer last, long limitMillis, boolean requiresTls) {
    this.context = context;
    this.last = last;
    this.limitMillis = limitMillis;
    this.requiresTls = requiresTls;
  }

  /**
   * Reads the roots.
   *
   * @throws IOException when they cannot be used
   */
  static BoundedProvider of(AcmeConfig config, LastAnswer last, long limitMillis)
      throws IOException {
    Path roots = config.caFile();
    return new BoundedProvider(
        roots == null ? null : context(roots),
        last,
        limitMillis,
        "https".equals(config.directory().getScheme()));
  }

  private static SSLContext context(Path roots) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      int number = 0;
      for (X509Certificate root : PemFile.certificates(roots)) {
        store.setCertificateEntry("root-" + number++, root);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext made = SSLContext.getInstance("TLS");
      made.init(null, trust.getTrustManagers(), null);
      return made;
    } catch (TlsException | GeneralSecurityException e) {
      throw new IOException("tls.acme.ca-file: " + e.getMessage(), e);
    }
  }

  @Override
  public boolean accepts(URI serverUri) {
    return true;
  }

  @Override
  public URL resolve(URI serverUri) {
    try {
      return serverUri.toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Override
  public HttpClient createHttpClient(NetworkSettings settings) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .connectTimeout(CONNECT_TIMEOUT)
            .followRedirects(HttpClient.Redirect.NORMAL);
    if (context != null) {
      builder.sslContext(context);
    }
    return builder.build();
  }

  @Override
  public Connection connect(URI serverUri, NetworkSettings settings, HttpClient client) {
    return new BoundedConnection(
        new HttpConnector(settings, client), last, limitMillis, requiresTls);
  }
}
