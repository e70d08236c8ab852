package io.forebay.server.audit;

import org.jspecify.annotations.Nullable;

/**
 * Who wants an action.
 *
 * @param by what shows that this one may: a token, the peer of a socket, a signal, a network
 * @param address of the client, or null
 * @param user name of the user of the process at the other end of a Unix-domain socket, or null
 * @param group the same of its group
 */
public record AuditActor(
    By by, @Nullable String address, @Nullable String user, @Nullable String group) {

  /** What an action rests on. */
  public enum By {
    /** {@code admin.token}. */
    TOKEN,

    /** Access to the listener of the admin API, which asks for no token. */
    LISTENER,

    /** A network of {@code purge.from}. */
    NETWORK,

    /** A signal to the process. */
    SIGNAL,

    /** Nothing: the request was refused. */
    NOTHING
  }

  /** A signal to the process. The kernel does not tell the JVM who sent it. */
  public static final AuditActor SIGNAL = new AuditActor(By.SIGNAL, null, null, null);
}
