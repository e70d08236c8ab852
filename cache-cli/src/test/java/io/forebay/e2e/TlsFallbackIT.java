package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.Ports;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where BoringSSL does not load, the JDK's TLS serves, slower and with fewer features. */
@Tag("full")
final class TlsFallbackIT {
  @TempDir Path directory;

  @Test
  void theJdksTlsServesWhereTheNativeLibraryDoesNotLoad() throws Exception {
    for (String host : new String[] {"a.test", "b.test"}) {
      Tools.selfSigned(
          directory.resolve(host + ".pem"), directory.resolve(host + ".key"), host, "DNS:" + host);
    }
    int port = Ports.free();
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"));
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .config(
                    """
                    listen:
                      - {address: "127.0.0.1:%1$d", tls: {default: a}}
                    certificates:
                      a: {certificate: "%2$s/a.test.pem", key: "%2$s/a.test.key"}
                      b: {certificate: "%2$s/b.test.pem", key: "%2$s/b.test.key"}
                    """
                        .formatted(port, directory))
                .listeningByFile()
                .jvm("-Dio.netty.handler.ssl.noOpenSsl=true")
                .start()) {
      assertTrue(edge.errText().contains("using the JDK's slower TLS"), edge.errText());
      Tree.Entry file = origin.tree(25).write("/f", 300_000);
      for (String host : new String[] {"a.test", "b.test"}) {
        for (String protocol : new String[] {"--http1.1", "--http2", "--tlsv1.3"}) {
          Curl.Result result =
              Curl.get(
                  "https://" + host + ":" + port + file.path(),
                  protocol,
                  // Each has its own certificate shown, or curl would say no.
                  "--cacert",
                  directory.resolve(host + ".pem").toString(),
                  "--resolve",
                  host + ":" + port + ":127.0.0.1");
          file.assertSame(result);
          assertEquals(protocol.equals("--http1.1") ? "1.1" : "2", result.httpVersion());
        }
      }
      origin.assertRequests(2, file.path());
      Commands.Finished reloaded =
          Jar.quick().run("reload", "--admin-url", edge.adminUrl()).orFail();
      assertTrue(edge.isAlive(), reloaded.out());
    }
  }
}
