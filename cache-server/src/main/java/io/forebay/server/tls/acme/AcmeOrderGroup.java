package io.forebay.server.tls.acme;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that order the certificates of one authority together: one of them has the order of a
 * name, and its certificate reaches all. The caller confines it to one thread; methods block.
 */
public interface AcmeOrderGroup {

  /**
   * A certificate as the group has it.
   *
   * @param beginMillis since when it is valid: of two, the one that begins later is newer
   * @param revision grows with each change of the name's certificate
   * @param node who ordered it
   * @param isOwn whether this node ordered it
   * @param pem its private key and its chain; null where they cannot be decrypted
   */
  record SharedCertificate(
      String name,
      long beginMillis,
      long revision,
      String node,
      boolean isOwn,
      @Nullable String pem) {

    /** Leaves the key out. */
    @Override
    public String toString() {
      return name + " of " + node + ", revision " + revision;
    }
  }

  /**
   * What changed.
   *
   * @param isComplete whether these are all certificates of the group
   */
  record Changes(boolean isComplete, List<SharedCertificate> certificates) {}

  /**
   * The certificates that have changed since the last call; at the first call all.
   *
   * @throws IOException when the group cannot be asked; the next call gives what this one did not
   */
  Changes changes() throws IOException;

  /** The next {@link #changes} gives all certificates. */
  void rewind();

  /**
   * Claims the order of a name, unless another node has, or a certificate has changed since the
   * last {@link #changes}.
   *
   * @return whether this node has it
   */
  boolean claim(String name) throws IOException;

  /** The names that this node has claimed. */
  Set<String> claimed();

  /** Ends the claim of this node to a name. */
  void release(String name) throws IOException;

  /**
   * Gives a certificate to all nodes.
   *
   * @param endMillis until when it is valid, and the group keeps it
   * @param replaced the revision that it replaces; 0 for none
   * @return its revision; 0 if the group has another one than {@code replaced} by now, which {@link
   *     #changes} will give
   */
  long publish(String name, long beginMillis, long endMillis, String pem, long replaced)
      throws IOException;
}
