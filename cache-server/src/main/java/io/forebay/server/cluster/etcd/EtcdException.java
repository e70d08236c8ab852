package io.forebay.server.cluster.etcd;

/** A request to etcd that failed. */
public final class EtcdException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Kinds of failures. */
  public enum Kind {
    /** No member answered in time; the request may have taken effect. */
    UNAVAILABLE,
    /** etcd understood the request and refused it. */
    REFUSED,
    /** etcd has compacted the requested revision. */
    COMPACTED
  }

  private final Kind kind;

  public EtcdException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
