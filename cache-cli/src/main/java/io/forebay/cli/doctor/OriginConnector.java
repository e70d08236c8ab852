package io.forebay.cli.doctor;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.TlsConfig.PairConfig;
import io.forebay.server.origin.dns.NamePlaces;
import io.forebay.server.origin.dns.NameTrial;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.CertificatePair;
import io.forebay.server.tls.PemFile;
import io.forebay.server.tls.TlsException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Connects to origins with blocking sockets of the JDK: as the node does by address, name, trust
 * and source address, without its pools.
 *
 * @param asksHead whether a HEAD request for the server's base path follows
 */
record OriginConnector(NamePlaces places, boolean asksHead) implements Outside {
  private static final Duration MOST = Duration.ofSeconds(5);
  private static final int MAX_HEAD_BYTES = 64 << 10;
  private static final char[] NO_PASSWORD = {};

  @Override
  public Map<String, NameTrial> lookup(Collection<String> names) {
    return NameTrial.of(places, names, MOST);
  }

  @Override
  public Trial connect(OriginConfig origin, OriginServerConfig server) {
    String url = server.url();
    if (origin.egress().proxy() != null) {
      return new Trial(url + ": not tried, it is reached through a proxy", null, null);
    }
    if (server.url().contains("+srv:")) {
      return new Trial(url + ": not tried, its servers have SRV records", null, null);
    }
    try {
      return url.startsWith("unix:") ? unix(url) : tcp(origin, URI.create(url));
    } catch (IOException | GeneralSecurityException | TlsException e) {
      return new Trial(url, Printable.line(e), null);
    } catch (IllegalArgumentException e) {
      return new Trial(url, "no URL that can be tried", null);
    }
  }

  private static Trial unix(String url) throws IOException {
    String file = url.substring("unix:".length()).split(":", 2)[0];
    long start = System.nanoTime();
    SocketChannel.open(UnixDomainSocketAddress.of(Path.of(file))).close();
    return new Trial(url + ", connected in " + millis(start), null, null);
  }

  private Trial tcp(OriginConfig origin, URI uri)
      throws IOException, GeneralSecurityException, TlsException {
    boolean isTls = uri.getScheme().equals("https");
    String host = uri.getHost();
    int port = uri.getPort() > 0 ? uri.getPort() : isTls ? 443 : 80;
    InetAddress address = address(host);
    StringBuilder found = new StringBuilder(uri.toString());
    try (Socket socket = new Socket()) {
      for (InetAddress source : origin.egress().sourceAddresses()) {
        if (source.getClass() == address.getClass()) {
          socket.bind(new InetSocketAddress(source, 0));
        }
      }
      int most = (int) Math.min(MOST.toMillis(), Math.max(1, origin.connectTimeout().toMillis()));
      long start = System.nanoTime();
      socket.connect(new InetSocketAddress(address, port), most);
      socket.setSoTimeout((int) MOST.toMillis());
      found.append(", ").append(address.getHostAddress()).append(" connected in ");
      found.append(millis(start));
      if (origin.egress().proxyProtocol()) {
        return new Trial(
            found + "; it awaits the PROXY protocol, so no more was tried", null, null);
      }
      if (!isTls) {
        return head(origin, uri, socket, found, null);
      }
      start = System.nanoTime();
      String name = origin.tls().serverName() == null ? host : origin.tls().serverName();
      try (SSLSocket tls =
          (SSLSocket) context(origin).getSocketFactory().createSocket(socket, name, port, true)) {
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        if (!name.matches("[0-9.]+|\\[.*")) {
          parameters.setServerNames(List.of(new SNIHostName(name)));
        }
        tls.setSSLParameters(parameters);
        tls.startHandshake();
        found.append(", ").append(tls.getSession().getProtocol()).append(" in ");
        found.append(millis(start));
        X509Certificate leaf = (X509Certificate) tls.getSession().getPeerCertificates()[0];
        return head(origin, uri, tls, found, leaf.getNotAfter().toInstant());
      }
    } catch (IOException e) {
      return new Trial(found.toString(), Printable.line(e), null);
    }
  }

  private Trial head(
      OriginConfig origin, URI uri, Socket socket, StringBuilder found, @Nullable Instant until)
      throws IOException {
    if (!asksHead) {
      return new Trial(found.toString(), null, until);
    }
    long start = System.nanoTime();
    String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String host = origin.host() == null ? uri.getRawAuthority() : origin.host();
    String request =
        "HEAD "
            + path
            + " HTTP/1.1\r\nHost: "
            + host
            + "\r\nUser-Agent: forebay-doctor\r\nConnection: close\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
    String status = statusLine(socket.getInputStream());
    if (!status.matches("HTTP/1\\.[01] [0-9]{3}( .*)?")) {
      return new Trial(found.toString(), "no response of HTTP/1.1 to a HEAD request", until);
    }
    String code = status.substring(9, 12);
    found.append(", HEAD ").append(path).append(" is ").append(code).append(" in ");
    found.append(millis(start));
    return new Trial(
        found.toString(), code.startsWith("5") ? "the server answers " + code : null, until);
  }

  private static String statusLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n' && line.length() < MAX_HEAD_BYTES; c = in.read()) {
      line.append((char) c);
    }
    return line.toString().strip();
  }

  /** The first address that the node would have. */
  private InetAddress address(String host) throws IOException {
    if (host.startsWith("[") || host.matches("[0-9.]+")) {
      return InetAddress.getByName(host);
    }
    NameTrial trial = lookup(List.of(host)).values().iterator().next();
    if (trial.addresses().isEmpty()) {
      throw new IOException("the name does not resolve: " + trial.failure());
    }
    return trial.addresses().getFirst();
  }

  private static SSLContext context(OriginConfig origin)
      throws GeneralSecurityException, IOException, TlsException {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    KeyStore trusted = null;
    if (origin.trust() != null) {
      trusted = empty();
      int number = 0;
      for (X509Certificate certificate : PemFile.certificates(origin.trust())) {
        trusted.setCertificateEntry("trusted-" + number++, certificate);
      }
    }
    trust.init(trusted);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    KeyStore own = empty();
    PairConfig client = origin.tls().client();
    if (client != null) {
      CertificatePair pair = CertificatePair.load(client);
      own.setKeyEntry(
          "client", pair.key(), NO_PASSWORD, pair.chain().toArray(new X509Certificate[0]));
    }
    keys.init(own, NO_PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }

  private static String millis(long start) {
    return String.format(Locale.ROOT, "%.1f ms", (System.nanoTime() - start) / 1e6);
  }
}
