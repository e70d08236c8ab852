package io.forebay.server;

import io.forebay.server.cluster.fleet.FleetTls;
import io.forebay.server.http.ChallengeTokens;
import io.forebay.server.tls.ClientTls;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The ticket keys and the ACME validations of this node, for the others of its cluster. */
final class ServerFleetTls implements FleetTls {
  private final ClientTls tls;
  private final ChallengeTokens challenges;

  ServerFleetTls(ClientTls tls, ChallengeTokens challenges) {
    this.tls = tls;
    this.challenges = challenges;
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
  public Map<String, String> ownChallenges() {
    return challenges.own();
  }

  @Override
  public void challenges(Map<String, String> byToken) {
    challenges.others(byToken);
  }
}
