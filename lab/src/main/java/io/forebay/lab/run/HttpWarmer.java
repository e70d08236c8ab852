package io.forebay.lab.run;

import io.forebay.lab.scenario.ObjectRow;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Warms by the JDK's client over HTTP/1.1, which every server speaks. */
final class HttpWarmer implements Warmer {
  private static final int PARALLEL = 24;
  private static final int OK = 200;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @Override
  public void warm(List<URI> servers, List<ObjectRow> objects, @Nullable Path trust)
      throws IOException, InterruptedException {
    try (HttpClient client = client(trust);
        ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor()) {
      Work files = new Work(servers, objects);
      List<Future<Void>> started = new ArrayList<>();
      for (int i = 0; i < PARALLEL; i++) {
        started.add(workers.submit(worker(client, files)));
      }
      try {
        for (Future<Void> worker : started) {
          worker.get();
        }
      } catch (ExecutionException failed) {
        throw failed.getCause() instanceof IOException cause
            ? cause
            : new IOException("the cache could not be filled", failed.getCause());
      } finally {
        // After a failure or an interrupt the others end with the request that they wait for.
        files.end();
        workers.shutdownNow();
      }
    }
  }

  private static Callable<Void> worker(HttpClient client, Work files) {
    return () -> {
      for (URI file = files.next(); file != null; file = files.next()) {
        HttpResponse<Void> response =
            client.send(
                HttpRequest.newBuilder(file).timeout(LIMIT).build(),
                HttpResponse.BodyHandlers.discarding());
        if (response.statusCode() != OK) {
          throw new IOException(
              "the cache could not be filled: " + file + " answers " + response.statusCode());
        }
      }
      return null;
    };
  }

  /** Every file from every server, in order. */
  private static final class Work {
    private final List<URI> servers;
    private final List<ObjectRow> objects;
    private final AtomicLong next = new AtomicLong();
    private volatile long end;

    Work(List<URI> servers, List<ObjectRow> objects) {
      this.servers = servers;
      this.objects = objects;
      end = objects.stream().mapToLong(ObjectRow::count).sum() * servers.size();
    }

    void end() {
      end = 0;
    }

    @Nullable URI next() {
      long at = next.getAndIncrement();
      if (at >= end) {
        return null;
      }
      URI server = servers.get((int) (at % servers.size()));
      long file = at / servers.size();
      for (ObjectRow row : objects) {
        if (file < row.count()) {
          return server.resolve(
              row.path()
                  .replace("{bytes}", Long.toString(row.bytes()))
                  .replace("{n}", Long.toString(file)));
        }
        file -= row.count();
      }
      return null;
    }
  }

  private static HttpClient client(@Nullable Path trust) throws IOException {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(LIMIT);
    if (trust != null) {
      builder.sslContext(context(trust));
    }
    return builder.build();
  }

  private static SSLContext context(Path trust) throws IOException {
    try (InputStream stream = Files.newInputStream(trust)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int i = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(stream)) {
        store.setCertificateEntry("authority-" + i++, one);
      }
      TrustManagerFactory trusted =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trusted.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trusted.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException wrong) {
      throw new IOException(trust + " has no certificates", wrong);
    }
  }
}
