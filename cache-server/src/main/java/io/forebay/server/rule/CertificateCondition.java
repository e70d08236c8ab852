package io.forebay.server.rule;

import io.forebay.server.rule.RequestPart.Kind;
import java.security.cert.X509Certificate;
import java.util.function.Consumer;

/** One value of a part of the client's certificate passes; without a certificate none does. */
record CertificateCondition(CertificatePart part, TextMatcher test) implements Condition {

  @Override
  public int test(RequestFacts facts) {
    ClientCertificate certificate = facts.client().certificate();
    return certificate == null ? NO : certificate.verdict(this, facts.isFast());
  }

  int testCertificate(X509Certificate certificate) {
    for (String value : part.values(certificate)) {
      if (test.test(value, 0, value.length(), false) == YES) {
        return YES;
      }
    }
    return NO;
  }

  @Override
  public void parts(Consumer<RequestPart> each) {
    each.accept(new RequestPart(Kind.TLS, "client-certificate"));
  }

  /** Whether the client has a certificate. */
  record Verified(boolean isVerified) implements Condition {

    @Override
    public int test(RequestFacts facts) {
      return (facts.client().certificate() != null) == isVerified ? YES : NO;
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      each.accept(new RequestPart(Kind.TLS, "client-certificate"));
    }
  }
}
