package io.forebay.server.tls.acme;

import io.forebay.server.tls.CertificatePair;
import io.forebay.server.tls.PemFile;
import io.forebay.server.tls.TlsException;
import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the node keeps of one authority, below {@code acme} in the data directory, readable by its
 * user only. Each file is replaced whole: after a loss of power it is the old one or the new one.
 *
 * <pre>
 *   acme/acme-v02.api.letsencrypt.org-1f0c2a7b/
 *     account.pem            key pair of the account
 *     account.url            URL of the account
 *     www.example.com.pem    private key and certificate chain
 *     www.example.com.order  order under way: URL and key pair
 * </pre>
 *
 * <p>A file that cannot be understood is renamed to {@code .broken} and counts as missing. One
 * thread at a time.
 */
final class AcmeFiles {
  private static final Logger LOG = LoggerFactory.getLogger(AcmeFiles.class);

  private static final Pattern HOST =
      Pattern.compile("([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final int MAX_HOST = 240;
  private static final int MAX_BYTES = 256 << 10;
  private static final String CERTIFICATE = ".pem";
  private static final String ORDER = ".order";
  private static final String ACCOUNT_KEY = "account.pem";
  private static final String ACCOUNT_URL = "account.url";

  private final String authority;
  private final Path directory;

  /** Those of one authority. */
  AcmeFiles(Path data, URI authority) {
    this.authority = folder(authority);
    this.directory = data.resolve("acme").resolve(this.authority);
  }

  /** The name of the authority's folder, which tells authorities apart. */
  String authority() {
    return authority;
  }

  /** Whether a name is one of a host, and thus fit to be one of a file. */
  static boolean isHost(String name) {
    return name.length() <= MAX_HOST && HOST.matcher(name).matches();
  }

  private static String folder(URI authority) {
    String host = String.valueOf(authority.getHost()).replaceAll("[^A-Za-z0-9.-]", "_");
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(authority.toString().getBytes(StandardCharsets.UTF_8));
      return host + "-" + HexFormat.of().formatHex(digest, 0, 4);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  // --- account ----------------------------------------------------------------------------------

  @Nullable KeyPair accountKey() throws IOException {
    Path file = directory.resolve(ACCOUNT_KEY);
    String text = read(file);
    try {
      return text == null ? null : KeyPairs.parse(text);
    } catch (IOException e) {
      setAside(file, e);
      return null;
    }
  }

  void accountKey(KeyPair key) throws IOException {
    write(ACCOUNT_KEY, KeyPairs.pem(key));
  }

  @Nullable URL accountUrl() throws IOException {
    Path file = directory.resolve(ACCOUNT_URL);
    String text = read(file);
    try {
      return text == null ? null : PendingOrder.url(text.strip());
    } catch (IOException e) {
      setAside(file, e);
      return null;
    }
  }

  void accountUrl(@Nullable URL url) throws IOException {
    if (url == null) {
      delete(ACCOUNT_URL);
    } else {
      write(ACCOUNT_URL, url + "\n");
    }
  }

  // --- hosts ------------------------------------------------------------------------------------

  /** The certificate of a host with its key, or null. */
  @Nullable CertificatePair certificate(String host) throws IOException {
    Path file = directory.resolve(host + CERTIFICATE);
    if (!PrivateFiles.check(file)) {
      return null;
    }
    try {
      CertificatePair pair =
          new CertificatePair(
              file, file, List.copyOf(PemFile.certificates(file)), PemFile.privateKey(file));
      if (!pair.hasMatchingKey()) {
        throw new TlsException(file + " has a key that is not the certificate's");
      }
      return pair;
    } catch (TlsException e) {
      setAside(file, e);
      return null;
    }
  }

  /** Replaces the certificate of a host; gives what {@link #certificate} will. */
  CertificatePair certificate(String host, List<X509Certificate> chain, PrivateKey key)
      throws IOException {
    Path ignored = write(host + CERTIFICATE, pem(chain, key));
    return pair(host, chain, key);
  }

  /** A certificate of a host as it is after it was stored; does not store it. */
  CertificatePair pair(String host, List<X509Certificate> chain, PrivateKey key) {
    Path file = directory.resolve(host + CERTIFICATE);
    return new CertificatePair(file, file, List.copyOf(chain), key);
  }

  /** A private key and its certificate chain, as they are in a file. */
  static String pem(List<X509Certificate> chain, PrivateKey key) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(KeyPairs.pem("PRIVATE KEY", key.getEncoded()));
    try {
      for (X509Certificate certificate : chain) {
        text.append(KeyPairs.pem("CERTIFICATE", certificate.getEncoded()));
      }
    } catch (GeneralSecurityException e) {
      throw new IOException("a certificate without bytes", e);
    }
    return text.toString();
  }

  /** Whether a certificate is one of these. */
  boolean isOwn(CertificatePair pair) {
    return directory.equals(pair.file().getParent());
  }

  void deleteCertificate(String host) throws IOException {
    delete(host + CERTIFICATE);
  }

  /** Hosts that have a certificate, at most so many. */
  List<String> hosts(int limit) throws IOException {
    List<String> hosts = new ArrayList<>();
    if (!Files.isDirectory(directory)) {
      return hosts;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + CERTIFICATE)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        String host = name.substring(0, name.length() - CERTIFICATE.length());
        if (isHost(host) && hosts.size() < limit) {
          hosts.add(host);
        }
      }
    }
    return hosts;
  }

  @Nullable PendingOrder order(String host) throws IOException {
    Path file = directory.resolve(host + ORDER);
    String text = read(file);
    try {
      return text == null ? null : PendingOrder.parse(text);
    } catch (IOException e) {
      setAside(file, e);
      return null;
    }
  }

  void order(String host, PendingOrder order) throws IOException {
    Path ignored = write(host + ORDER, order.text());
  }

  void deleteOrder(String host) throws IOException {
    delete(host + ORDER);
  }

  // --- files ------------------------------------------------------------------------------------

  private static @Nullable String read(Path file) throws IOException {
    if (!PrivateFiles.check(file)) {
      return null;
    }
    try (FileChannel in = PrivateFiles.open(file)) {
      ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
      int got;
      do {
        got = in.read(bytes);
      } while (got >= 0 && bytes.hasRemaining());
      return StandardCharsets.US_ASCII.decode(bytes.flip()).toString();
    }
  }

  private Path write(String name, String text) throws IOException {
    PrivateFiles.createDirectories(directory);
    Path file = directory.resolve(name);
    Path made = directory.resolve(name + ".new");
    try (FileChannel out = PrivateFiles.createNew(made)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    PrivateFiles.forceNames(directory);
    return file;
  }

  private void delete(String name) throws IOException {
    if (Files.deleteIfExists(directory.resolve(name))) {
      PrivateFiles.forceNames(directory);
    }
  }

  private static void setAside(Path file, Exception why) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + ".broken");
    Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE);
    LOG.error("{} is damaged and was moved to {}: {}", file, aside, why.getMessage());
  }
}
