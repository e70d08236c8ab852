package io.forebay.server;

import io.forebay.server.cluster.purge.LoggedPurges;
import io.forebay.server.config.ClusterConfig.Gap;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.text.Printable;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeGap;
import io.forebay.storage.purge.PurgePosition;
import io.forebay.storage.purge.PurgesFullException;
import io.forebay.storage.purge.ReplicatedPurges;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the purges of a cluster's log in force in the store, by the scopes of this node's routes.
 */
final class ClusterLogPurges implements LoggedPurges {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterLogPurges.class);

  private final ReplicatedPurges store;
  private final Function<PurgeOrder, Purge> scopes;
  private final PurgeGap gap;

  ClusterLogPurges(ReplicatedPurges store, Function<PurgeOrder, Purge> scopes, Gap gap) {
    this.store = store;
    this.scopes = scopes;
    this.gap =
        switch (gap) {
          case EMPTY -> PurgeGap.EMPTY;
          case REVALIDATE -> PurgeGap.REVALIDATE;
        };
  }

  @Override
  public @Nullable PurgePosition applied() {
    return store.applied();
  }

  @Override
  public void apply(List<Logged> orders, PurgePosition position)
      throws IOException, PurgesFullException {
    long[] ignored = store.apply(orders.stream().map(this::purge).toList(), position);
  }

  @Override
  public void mirror() throws IOException {
    store.mirror();
  }

  /**
   * What another node accepted, and this one does not, is taken for everything: never too little.
   */
  private Purge purge(Logged logged) {
    PurgeOrder order = logged.order();
    try {
      return scopes.apply(order).at(logged.revision());
    } catch (IllegalArgumentException e) {
      LOG.error(
          "the cluster's purge of {} \"{}\" cannot be carried out here ({}): everything is purged",
          order.kind().label(),
          Printable.json(order.text()),
          e.getMessage());
      return Purge.everything(order.isSoft(), "in place of " + order.kind().label());
    }
  }

  @Override
  public void skipTo(PurgePosition position) throws IOException {
    long ignored = store.skipTo(position, gap);
  }

  @Override
  public int freeScopes() {
    return store.freeScopes();
  }

  @Override
  public int openAt(long revision) {
    return store.openAt(revision);
  }

  @Override
  public int patternsInForce() {
    return store.patternsInForce();
  }
}
