package io.forebay.server.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Asks a responder by HTTP (RFC 6960 appendix A), within bounds of time and of bytes. */
class OcspClient {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration TOTAL = Duration.ofSeconds(10);
  private static final int MAX_ANSWER_BYTES = 64 * 1024;

  byte[] ask(URI responder, byte[] request) throws IOException, InterruptedException {
    HttpRequest post =
        HttpRequest.newBuilder(responder)
            .timeout(TOTAL)
            .header("Content-Type", "application/ocsp-request")
            .header("Accept", "application/ocsp-response")
            .POST(HttpRequest.BodyPublishers.ofByteArray(request))
            .build();
    // One a question: questions are hours apart, and a client keeps threads.
    try (HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build()) {
      HttpResponse<InputStream> response =
          client.send(post, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        if (response.statusCode() != 200) {
          throw new IOException("status " + response.statusCode());
        }
        byte[] answer = body.readNBytes(MAX_ANSWER_BYTES + 1);
        if (answer.length > MAX_ANSWER_BYTES) {
          throw new IOException("the answer is larger than 64KiB");
        }
        return answer;
      } finally {
        client.shutdownNow();
      }
    }
  }
}
