package io.forebay.server.cluster.etcd;

/** A request to etcd that failed. */
public final class EtcdException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What follows from a failure. */
  public enum Kind {
    /** No member answered in time; whether the request took effect is not known. */
    UNAVAILABLE,
    /** etcd understood the request and refused it. */
    REFUSED,
    /** The revision that was asked for has been compacted. */
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
