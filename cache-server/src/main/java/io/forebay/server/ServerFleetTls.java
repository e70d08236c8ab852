package io.forebay.server;

import io.forebay.server.cluster.fleet.FleetTls;
import io.forebay.server.http.ChallengeTokens;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.acme.AlpnChallenges;
import io.forebay.server.tls.acme.CertificateManager;
import io.forebay.server.tls.acme.ConfirmedChallenges;
import java.time.Duration;
import java.util.List;

/** The ticket keys and the ACME validations of this node, for the others of its cluster. */
final class ServerFleetTls implements FleetTls {
  private final ClientTls tls;
  private final ChallengeTokens tokens;
  private final AlpnChallenges alpn;
  private final ConfirmedChallenges confirmed;

  ServerFleetTls(ClientTls tls, ChallengeTokens tokens, CertificateManager acme) {
    this.tls = tls;
    this.tokens = tokens;
    this.alpn = acme.alpn();
    this.confirmed = acme.confirmed();
  }

  @Override
  public Duration ticketRotation() {
    return tls.sharedTicketRotation();
  }

  @Override
  public int ticketKeyBytes() {
    return ClientTls.TICKET_KEY_BYTES;
  }

  @Override
  public void ticketKeys(List<byte[]> keys) {
    tls.shareTicketKeys(keys);
  }

  @Override
  public Challenges ownChallenges() {
    return new Challenges(tokens.own(), alpn.own());
  }

  @Override
  public boolean challenges(Challenges others) {
    tokens.others(others.tokens());
    return alpn.others(others.hashes());
  }

  @Override
  public void confirmed(Challenges everywhere, List<String> behind) {
    confirmed.set(everywhere.tokens().keySet(), everywhere.hashes(), behind);
  }
}
