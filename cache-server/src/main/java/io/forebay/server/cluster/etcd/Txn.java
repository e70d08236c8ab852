package io.forebay.server.cluster.etcd;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A transaction: if all conditions hold, all operations take effect at one revision. The reads of a
 * transaction without writes are linearizable. Confined to one thread until it is sent.
 */
public final class Txn {
  /** The most operations that etcd accepts by default ({@code --max-txn-ops}). */
  public static final int MAX_OPERATIONS = 128;

  private final ObjectNode body = JsonNodeFactory.instance.objectNode();
  private final ArrayNode compare = body.putArray("compare");
  private final ArrayNode success = body.putArray("success");
  private final ArrayNode failure = body.putArray("failure");

  public Txn() {}

  /** Adds the condition that a key does not exist. */
  public Txn ifAbsent(String key) {
    return condition(key, "VERSION", "version", "0");
  }

  /** Adds the condition that a key was last written at a revision; 0: it does not exist. */
  public Txn ifRevision(String key, long revision) {
    return condition(key, "MOD", "mod_revision", Long.toString(revision));
  }

  /**
   * Adds the condition that a key was last written at a revision or later; 0 also holds for a key
   * that does not exist.
   */
  public Txn ifRevisionAtLeast(String key, long revision) {
    return condition("GREATER", key, "MOD", "mod_revision", Long.toString(revision - 1));
  }

  private Txn condition(String key, String target, String field, String value) {
    return condition("EQUAL", key, target, field, value);
  }

  private Txn condition(String result, String key, String target, String field, String value) {
    compare
        .addObject()
        .put("result", result)
        .put("target", target)
        .put("key", EtcdJson.base64(key))
        .put(field, value);
    return this;
  }

  public Txn put(String key, String value) {
    return put(key, value, 0);
  }

  /** Writes a key with a lease; etcd deletes the key when the lease ends. */
  public Txn put(String key, String value, long lease) {
    ObjectNode put =
        success
            .addObject()
            .putObject("request_put")
            .put("key", EtcdJson.base64(key))
            .put("value", EtcdJson.base64(value));
    if (lease != 0) {
      put.put("lease", Long.toString(lease));
    }
    return this;
  }

  public Txn delete(String key) {
    success.addObject().putObject("request_delete_range").put("key", EtcdJson.base64(key));
    return this;
  }

  /** Reads one key. */
  public Txn get(String key) {
    success.addObject().putObject("request_range").put("key", EtcdJson.base64(key));
    return this;
  }

  /** Reads all keys with a prefix. */
  public Txn getAll(String prefix) {
    success
        .addObject()
        .putObject("request_range")
        .put("key", EtcdJson.base64(prefix))
        .put("range_end", EtcdJson.base64(EtcdJson.endOf(prefix)));
    return this;
  }

  /** The same without the values, which are empty. */
  public Txn getNames(String prefix) {
    success
        .addObject()
        .putObject("request_range")
        .put("key", EtcdJson.base64(prefix))
        .put("range_end", EtcdJson.base64(EtcdJson.endOf(prefix)))
        .put("keys_only", true);
    return this;
  }

  /** Reads one key if a condition does not hold. */
  public Txn otherwiseGet(String key) {
    failure.addObject().putObject("request_range").put("key", EtcdJson.base64(key));
    return this;
  }

  ObjectNode body() {
    return body;
  }
}
