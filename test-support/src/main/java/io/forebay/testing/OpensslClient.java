package io.forebay.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs {@code openssl s_client}, whose output describes the TLS handshake. */
public final class OpensslClient {
  private OpensslClient() {}

  /** What it prints of one request for {@code /} over a connection with those options. */
  public static String run(int port, String... options) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("openssl", "s_client", "-connect", "127.0.0.1:" + port));
    command.addAll(List.of(options));
    command.add("-ign_eof");
    Path request = Files.createTempFile("s_client", ".http");
    try {
      Files.writeString(request, "GET /s HTTP/1.1\r\nHost: s.example\r\nConnection: close\r\n\r\n");
      Process process =
          new ProcessBuilder(command)
              .redirectInput(request.toFile())
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("openssl does not end: " + said);
      }
      return said;
    } finally {
      Files.delete(request);
    }
  }
}
