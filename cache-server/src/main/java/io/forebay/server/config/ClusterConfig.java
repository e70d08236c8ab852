package io.forebay.server.config;

import io.forebay.server.config.ServerConfig.Address;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster of a node: the nodes that follow one log of purges in etcd.
 *
 * @param name of the cluster; the certificates of its nodes have it
 * @param group whose nodes {@code --wait group} waits for
 * @param listen where other nodes ask how far this one has come
 * @param advertise where they reach that listener
 * @param secret what all nodes know and etcd does not; null for none
 */
public record ClusterConfig(
    String name,
    String group,
    Address listen,
    Address advertise,
    Tls tls,
    Log log,
    Purge purge,
    Share share,
    @Nullable SharedSecret secret) {

  /** The certificate of the node, and who may be a node. */
  public record Tls(Path ca, Path certificate, Path key) {}

  /**
   * How etcd is reached.
   *
   * @param ca roots for https, or null for those of the JVM
   * @param certificate of this node towards etcd, or null
   * @param user null where etcd asks for none
   */
  public record Log(
      List<URI> endpoints,
      @Nullable Path ca,
      @Nullable Path certificate,
      @Nullable Path key,
      @Nullable String user,
      @Nullable Secret password) {}

  /**
   * What all nodes know and etcd does not.
   *
   * @param keys of {@value #KEY_BYTES} bytes in base64: the first encrypts, all decrypt
   */
  public record SharedSecret(Path file, List<Secret> keys) {
    public static final int KEY_BYTES = 32;
  }

  /**
   * Purges of the cluster.
   *
   * @param waitFor which nodes a purge waits for unless it says so itself
   * @param waitMost for how long
   * @param fenceAfter for how long a node serves what it has stored without a proof that it knows
   *     all purges
   * @param gap what becomes of stored objects where purges may have been missed
   * @param keep how many purges the log keeps at most
   * @param keepFor how long it keeps them
   * @param logDown what becomes of purges while the log cannot be written
   */
  public record Purge(
      Wait waitFor,
      Duration waitMost,
      CutOff cutOff,
      Duration fenceAfter,
      Gap gap,
      int keep,
      Duration keepFor,
      LogDown logDown) {}

  /**
   * Objects that nodes share.
   *
   * @param listen where other nodes ask for objects; null where none are shared
   * @param advertise where they reach that listener; null with {@code listen}
   * @param weight the node's share of the keys of its group
   * @param copies what becomes of objects that are other nodes'
   * @param tier of the node, counted from the clients
   * @param shield the group that is asked in place of the origin; null for none
   */
  public record Share(
      @Nullable Address listen,
      @Nullable Address advertise,
      int weight,
      Copies copies,
      int tier,
      @Nullable String shield) {}

  /** What becomes of what another node gave. */
  public enum Copies {
    /** It is kept in memory while it is requested. */
    MEMORY,
    /** It is given to those who wait for it. */
    NEVER
  }

  /** Which nodes a purge waits for. */
  public enum Wait {
    SELF,
    GROUP,
    ALL
  }

  /** What a node does while it cannot prove that it knows all purges. */
  public enum CutOff {
    /** It validates each stored object with the origin before it uses it. */
    FENCE,
    /** It goes on as before. */
    SERVE,
    /** It answers 503. */
    REFUSE
  }

  /** What becomes of purges while the log cannot be written. */
  public enum LogDown {
    /** They are refused. */
    REFUSE,
    /** They are in force on this node at once, and on the others once the log is back. */
    LOCAL
  }

  /** What becomes of stored objects where purges may have been missed. */
  public enum Gap {
    EMPTY,
    REVALIDATE
  }
}
