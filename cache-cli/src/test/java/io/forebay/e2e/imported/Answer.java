package io.forebay.e2e.imported;

import io.forebay.e2e.imported.Loopback.Entrance;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** What a server said to a request, by aspects: status, Location, fields, what the origin saw. */
final class Answer {
  /** In place of a status: nothing came for so long. */
  static final String LIMIT = "nothing for 10 s";

  private static final int PATIENCE_MILLIS = 10_000;

  /** A stand-in's certificate is no secret, and none of this is about trust. */
  @SuppressWarnings("TrustAllX509TrustManager")
  private static final class TrustAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {
      // Anybody.
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
      // Anybody.
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  /** A request, to a port. */
  record Request(
      Entrance entrance, String method, String host, String target, List<String> fields) {
    @Override
    public String toString() {
      return "%s %s://%s:%s%s %s"
          .formatted(
              method, entrance.isTls() ? "https" : "http", host, entrance.number(), target, fields);
    }

    String path() {
      return target.replaceFirst("\\?.*", "");
    }
  }

  private Answer() {}

  /**
   * Sends a request.
   *
   * @param compared names of fields in lower case, of responses and of what the origin sees
   */
  static Map<String, String> of(Request request, Set<String> compared) {
    return of(request, compared, response -> response.status() == 200);
  }

  /**
   * The same.
   *
   * @param isBodyCompared whether the body is no page of the server itself
   */
  static Map<String, String> of(
      Request request, Set<String> compared, Predicate<Response> isBodyCompared) {
    Map<String, String> aspects = new TreeMap<>();
    try (RawClient client = new RawClient(connected(request))) {
      client.timeoutMillis(PATIENCE_MILLIS);
      StringBuilder head = new StringBuilder();
      head.append(request.method()).append(' ').append(request.target()).append(" HTTP/1.1\r\n");
      head.append("Host: ").append(request.host()).append("\r\n");
      request.fields().forEach(field -> head.append(field).append("\r\n"));
      boolean hasLength =
          request.fields().stream().anyMatch(field -> field.startsWith("Content-Length:"));
      if (request.method().equals("POST") && !hasLength) {
        head.append("Content-Length: 0\r\n");
      }
      client.send(head + "Connection: close\r\n\r\n");
      Response response = client.reply(request.method().equals("HEAD"));
      read(request, response, compared, isBodyCompared, aspects);
    } catch (IOException | RuntimeException e) {
      String what = e instanceof java.net.SocketTimeoutException ? LIMIT : "no answer";
      aspects.put("status", what);
    }
    return aspects;
  }

  private static void read(
      Request request,
      Response response,
      Set<String> compared,
      Predicate<Response> isBodyCompared,
      Map<String, String> aspects)
      throws IOException {
    aspects.put("status", String.valueOf(response.status()));
    String location = response.field("location");
    if (!location.isEmpty()) {
      aspects.put("location", resolved(request, location));
    }
    String coding = response.field("content-encoding");
    if (response.status() == 200) {
      aspects.put("content-encoding", coding);
    }
    for (String name : compared) {
      String value = String.join(", ", response.all(name).stream().distinct().sorted().toList());
      // The node's own errors say that nobody may store them.
      boolean isOwnError =
          response.status() >= 400 && name.equals("cache-control") && value.equals("no-store");
      if (!value.isEmpty() && !isOwnError) {
        aspects.put("field " + name, value);
      }
    }
    if (request.method().equals("HEAD")) {
      return;
    }
    String text = decoded(response, coding);
    if (text.startsWith("echo\n")) {
      seen(text, compared, aspects);
    } else if (isBodyCompared.test(response)) {
      aspects.put("body", shown(text.strip()));
    }
  }

  /** The origin's own account of what it was asked. */
  private static void seen(String text, Set<String> compared, Map<String, String> aspects) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String line : text.substring(0, text.indexOf("\n\n")).lines().skip(1).toList()) {
      int colon = line.indexOf(": ");
      if (colon > 0) {
        fields.merge(
            line.substring(0, colon),
            line.substring(colon + 2),
            (one, other) -> one + ", " + other);
      }
    }
    fields.forEach((name, value) -> {
      boolean isAlways = Set.of("target", "host", "cookie", "authorization").contains(name);
      if (isAlways || compared.contains(name)) {
        aspects.put("origin " + name, value);
      }
    });
  }

  /** Long bodies by their length and their hash. */
  private static String shown(String text) {
    return text.length() < 300
        ? text
        : text.substring(0, 40).replace("\n", " ") + "… " + text.length() + " " + text.hashCode();
  }

  private static String resolved(Request request, String location) {
    try {
      String scheme = request.entrance().isTls() ? "https" : "http";
      return URI.create(scheme + "://" + request.host() + request.target().replaceAll("[^!-~]", ""))
          .resolve(location)
          .toString()
          // nginx names the port on which it was asked.
          .replace(request.host() + ":" + request.entrance().port(), request.host());
    } catch (IllegalArgumentException e) {
      return location;
    }
  }

  private static String decoded(Response response, String coding) throws IOException {
    if (!coding.toLowerCase(Locale.ROOT).equals("gzip")) {
      return response.text();
    }
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private static Socket connected(Request request) throws IOException {
    Socket plain = new Socket(InetAddress.getLoopbackAddress(), request.entrance().port());
    if (!request.entrance().isTls()) {
      return plain;
    }
    plain.setSoTimeout(PATIENCE_MILLIS);
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new TrustAll()}, new SecureRandom());
      SSLSocket socket =
          (SSLSocket)
              context
                  .getSocketFactory()
                  .createSocket(plain, request.host(), request.entrance().port(), true);
      SSLParameters parameters = socket.getSSLParameters();
      if (request.host().matches("[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+")) {
        parameters.setServerNames(List.of(new SNIHostName(request.host())));
      }
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return socket;
    } catch (java.security.GeneralSecurityException e) {
      plain.close();
      throw new IOException("no TLS", e);
    }
  }
}
