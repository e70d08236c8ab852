package io.forebay.server.cluster.member;

import java.util.Locale;

/**
 * Names of keys in etcd:
 *
 * <pre>
 *   /forebay/CLUSTER/epoch             names the log
 *                    last              written with each purge: its revision is the newest purge's
 *                    floor             highest revision that was collected
 *                    purge/HH/…        purges, by their scope
 *                    members/NODE      nodes
 *                    alive/NODE        nodes that are alive, with a lease
 *                    draining/NODE     nodes that an operator drains
 *                    answering/NODE    up to which revision a node gives the answers of others to
 *                                      ACME validations, with a lease
 *                    config/rollout    which version of the fleet's document nodes should have
 *                    config/v/N        a version
 *                    config/part/HASH  a part of one
 *                    shared/tickets    keys of TLS session tickets
 *                    shared/acme/NODE  answers to ACME validations that a node expects
 *                    shared/orders/AUTHORITY/NAME   which node orders the certificate of a name,
 *                                                   with a lease
 *                    shared/certificates            written with each certificate
 *                    certificates/AUTHORITY/NAME    certificates that nodes share, encrypted
 * </pre>
 */
public record ClusterKeyspace(String cluster) {

  private String key(String rest) {
    return "/forebay/" + cluster + "/" + rest;
  }

  public String epoch() {
    return key("epoch");
  }

  public String last() {
    return key("last");
  }

  public String floor() {
    return key("floor");
  }

  /** Prefix of all purges. */
  public String purges() {
    return key("purge/");
  }

  public String members() {
    return key("members/");
  }

  public String member(String node) {
    return members() + node;
  }

  public String alive() {
    return key("alive/");
  }

  public String draining() {
    return key("draining/");
  }

  public String draining(String node) {
    return draining() + node;
  }

  /** Prefix of the confirmations that nodes give answers to ACME validations. */
  public String answering() {
    return key("answering/");
  }

  public String answering(String node) {
    return answering() + node;
  }

  public String alive(String node) {
    return alive() + node;
  }

  public String rollout() {
    return key("config/rollout");
  }

  /** Prefix of all versions of the fleet's document. */
  public String configVersions() {
    return key("config/v/");
  }

  /** Names that sort as the versions do. */
  public String configVersion(long version) {
    return configVersions() + String.format(Locale.ROOT, "%010d", version);
  }

  public String configParts() {
    return key("config/part/");
  }

  public String configPart(String hash) {
    return configParts() + hash;
  }

  /** Prefix of the TLS state that nodes share. */
  public String shared() {
    return key("shared/");
  }

  public String tickets() {
    return shared() + "tickets";
  }

  public String challenges() {
    return shared() + "acme/";
  }

  public String challenges(String node) {
    return challenges() + node;
  }

  /** Prefix of the orders of one authority that are under way. */
  public String orders(String authority) {
    return shared() + "orders/" + authority + "/";
  }

  /** Written with each certificate, so a heartbeat tells whether there is a new one. */
  public String newestCertificate() {
    return shared() + "certificates";
  }

  /** Prefix of the certificates of one authority. */
  public String certificates(String authority) {
    return key("certificates/" + authority + "/");
  }
}
