package io.forebay.server.cluster.etcd;

import java.util.List;
import java.util.stream.Stream;

/**
 * The result of a transaction.
 *
 * @param clusterId of the members that answered
 * @param revision of the store: the transaction's own, if it wrote
 * @param isDone whether its conditions held
 * @param reads the keys that each read found, in the order of the reads
 */
public record TxnResult(
    String clusterId, long revision, boolean isDone, List<List<KeyValue>> reads) {

  /** The keys that a read found. */
  public Stream<KeyValue> read(int index) {
    return index < reads.size() ? reads.get(index).stream() : Stream.empty();
  }
}
