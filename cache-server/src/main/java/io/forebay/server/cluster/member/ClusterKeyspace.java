package io.forebay.server.cluster.member;

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

  /** Of all purges. */
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

  public String alive(String node) {
    return alive() + node;
  }
}
