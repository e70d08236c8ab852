package io.forebay.server.cluster.etcd;

import java.util.List;
import java.util.stream.Stream;

/**
 * What became of a transaction.
 *
 * @param clusterId of the members that answered
 * @param revision of the store: the transaction's own, if it wrote
 * @param isDone whether its conditions held
 * @param reads what its reads found, in their order
 */
public record TxnResult(
    String clusterId, long revision, boolean isDone, List<List<KeyValue>> reads) {

  /** What a read of one key found. */
  public Stream<KeyValue> read(int index) {
    return index < reads.size() ? reads.get(index).stream() : Stream.empty();
  }
}
