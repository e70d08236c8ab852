package io.forebay.server.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.config.TlsConfig.PairConfig;
import io.forebay.server.config.TlsConfig.Policy;
import io.forebay.server.tls.ocsp.Ocsp;
import io.forebay.server.tls.ocsp.OcspClient;
import io.forebay.testing.Certificates;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which OCSP responses are stapled, and for how long. */
@Tag("full")
final class OcspStaplerTest {
  @TempDir Path directory;
  private final Instant start = Instant.now();
  private Certificates files;
  private X509Bundle bundle;
  private TlsHost host;
  private X509Certificate leaf;
  private long nowMillis;
  private int questions;
  private String status = "V";
  private boolean fails;
  private boolean forges;

  private final OcspClient client =
      new OcspClient() {
        @Override
        public byte[] ask(URI responder, byte[] request) throws IOException, InterruptedException {
          questions++;
          assertEquals("http://127.0.0.1:1/ocsp", responder.toString());
          if (fails) {
            throw new IOException("down");
          }
          byte[] answer = files.ocspAnswer(request, bundle, status, 60);
          if (forges) {
            answer[60] ^= 1;
          }
          return answer;
        }
      };

  @BeforeEach
  void make() throws Exception {
    nowMillis = start.toEpochMilli();
    files = Certificates.in(directory);
    bundle = files.withResponder("a", "http://127.0.0.1:1/ocsp", "a.example");
    CertificatePair pair = CertificatePair.load(new PairConfig(files.pem("a"), files.key("a")));
    leaf = pair.leaf();
    host =
        new TlsHost(
            new TlsHostSettings(
                "a",
                List.of(pair),
                Policy.INTERMEDIATE,
                ClientAuth.OFF,
                List.of(),
                true,
                TlsHostSettings.HTTP));
  }

  private OcspStapler stapler() {
    OcspStapler stapler = new OcspStapler(() -> nowMillis, client);
    stapler.serves(List.of(host));
    return stapler;
  }

  private void pass(Duration time) {
    nowMillis += time.toMillis();
  }

  @Test
  void aGoodAnswerIsStapledAndRenewedAtHalfItsTime() throws Exception {
    OcspStapler stapler = stapler();
    assertNull(stapler.stapledUntil(leaf));
    stapler.step();
    Instant until = stapler.stapledUntil(leaf);
    assertNotNull(until);
    assertTrue(until.isAfter(start.plus(Duration.ofMinutes(55))));
    stapler.step();
    assertEquals(1, questions, "not due yet");
    pass(Duration.ofMinutes(31));
    stapler.step();
    assertEquals(2, questions);
  }

  @Test
  void aFailureLeavesTheOldAnswerUntilItEnds() throws Exception {
    OcspStapler stapler = stapler();
    stapler.step();
    fails = true;
    pass(Duration.ofMinutes(31));
    stapler.step();
    assertNotNull(stapler.stapledUntil(leaf));
    stapler.step();
    assertEquals(2, questions, "it is not asked again at once");
    pass(Duration.ofMinutes(30));
    stapler.step();
    assertNull(stapler.stapledUntil(leaf), "the answer has ended");
    assertEquals(3, questions);
  }

  @Test
  void aRevokedCertificateGetsNoStaple() throws Exception {
    status = "R";
    OcspStapler stapler = stapler();
    stapler.step();
    assertNull(stapler.stapledUntil(leaf));
    assertEquals(1, questions);
  }

  @Test
  void aRevokedCertificateLosesTheGoodAnswerFromBefore() throws Exception {
    OcspStapler stapler = stapler();
    stapler.step();
    assertEquals(1, stapled());
    status = "R";
    pass(Duration.ofMinutes(31));
    stapler.step();
    assertEquals(0, stapled());
    assertNull(stapler.stapledUntil(leaf));
    status = "V";
    pass(Duration.ofMinutes(6));
    stapler.step();
    assertEquals(1, stapled(), "a certificate on hold may come back");
  }

  /** Anybody on the way to the responder could say it, but not sign it. */
  @Test
  void aForgedRevocationChangesNothing() throws Exception {
    OcspStapler stapler = stapler();
    stapler.step();
    status = "R";
    forges = true;
    pass(Duration.ofMinutes(31));
    stapler.step();
    assertEquals(2, questions);
    assertEquals(1, stapled());
  }

  /** How many answers a client gets in a handshake. */
  private int stapled() throws SSLException {
    SSLEngine client =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .build()
            .newEngine(ByteBufAllocator.DEFAULT);
    SSLEngine server = host.newEngine(ByteBufAllocator.DEFAULT);
    try {
      SSLSession session = TrialHandshake.between(client, server);
      return ((ExtendedSSLSession) session).getStatusResponses().size();
    } finally {
      ReferenceCountUtil.release(server);
    }
  }

  @Test
  void answersOfOthersOfOtherTimesAndOtherCertificatesAreRefused() throws Exception {
    X509Certificate issuer = files.authority().getCertificate();
    byte[] good = files.ocspAnswer(Ocsp.request(leaf, issuer), bundle, "V", 60);
    assertEquals(good, Ocsp.checked(good, leaf, issuer, start).bytes());
    assertThrows(
        GeneralSecurityException.class,
        () -> Ocsp.checked(good, leaf, issuer, start.plus(Duration.ofHours(2))),
        "too old");
    // In what is signed, which is all of the beginning but a few lengths and names.
    byte[] forged = good.clone();
    forged[60] ^= 1;
    assertThrows(Exception.class, () -> Ocsp.checked(forged, leaf, issuer, start));
    X509Bundle other = files.ecdsa("other", "other.example");
    assertThrows(
        GeneralSecurityException.class,
        () -> Ocsp.checked(good, other.getCertificate(), issuer, start));
    assertThrows(
        GeneralSecurityException.class,
        () -> Ocsp.checked(new byte[] {0x30, 3, 0x0A, 1, 6}, leaf, issuer, start),
        "the responder refuses");
  }

  @Test
  void whatIsNoLongerServedIsNoLongerAskedFor() throws Exception {
    OcspStapler stapler = stapler();
    stapler.step();
    stapler.serves(List.of());
    assertNull(stapler.stapledUntil(leaf));
    pass(Duration.ofHours(1));
    stapler.step();
    assertEquals(1, questions);
  }
}
