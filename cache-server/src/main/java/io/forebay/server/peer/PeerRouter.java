package io.forebay.server.peer;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.peer.PeerRanking;
import io.forebay.storage.purge.PurgePosition;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the owner of a key. The hash of the key's text has the name of the cluster's log as its
 * secret, so clients cannot choose keys that one node owns. One for each loop.
 */
public final class PeerRouter {
  private final PeerDirectory directory;
  private final BiConsumer<TargetUri, TargetUri> sender;

  /** The hash, with the log's name as its secret; null until the log has a name. */
  private @Nullable KeyBuilder keys;

  private String epoch = "";

  /**
   * A router.
   *
   * @param sender tells other nodes to forget a URL; the second form is the one that fills ask for
   */
  public PeerRouter(PeerDirectory directory, BiConsumer<TargetUri, TargetUri> sender) {
    this.directory = directory;
    this.sender = sender;
  }

  /**
   * Tells other nodes to forget a URL, because a client has invalidated it. Until they have
   * answered, this node asks none of them for it.
   */
  public void forget(TargetUri target, KeyRecipe recipe) {
    sender.accept(target, recipe.url().canonical(target));
  }

  /**
   * The nodes that a miss asks; null where it goes to the origin.
   *
   * @param request of the fill
   * @param isFromPeer whether another node has sent the request; then no node of this tier is asked
   */
  public @Nullable PeerPlan plan(RequestView request, KeyRecipe recipe, boolean isFromPeer) {
    Peers peers = directory.peers();
    if (peers.group().size() < 2 && peers.shield().isEmpty()) {
      return null;
    }
    long now = System.nanoTime();
    PurgePosition begun = directory.begun();
    if (begun == null
        || directory.isCutOff(now)
        || directory.isAheadOfLog(begun)
        || directory.isForgetting(request)) {
      return null;
    }
    KeyBuilder keyed = keys(begun.epoch());
    if (!keyed.build(request, recipe)) {
      return null;
    }
    List<String> nodes = isFromPeer ? List.of() : ranked(peers.group(), keyed.lo(), now);
    boolean isDown = nodes.isEmpty();
    if (isDown) {
      nodes = ranked(peers.shield(), keyed.lo(), now);
    }
    return nodes.isEmpty() ? null : new PeerPlan(nodes, isDown, text(keyed));
  }

  /** Whether this node keeps objects that other nodes own after it has sent them. */
  public boolean keepsCopies() {
    return directory.keepsCopies();
  }

  /** Whether a digest of a base key, under the log of a name, is the digest of a request here. */
  public boolean isKeyOf(String digest, String epochOfLog, RequestView request, KeyRecipe recipe) {
    KeyBuilder keyed = keys(epochOfLog);
    return keyed.build(request, recipe) && text(keyed).equals(digest);
  }

  private KeyBuilder keys(String epochOfLog) {
    KeyBuilder known = keys;
    if (known == null || !epochOfLog.equals(epoch)) {
      known = new KeyBuilder(HexFormat.of().parseHex(epochOfLog));
      keys = known;
      epoch = epochOfLog;
    }
    return known;
  }

  private static String text(KeyBuilder keyed) {
    return HexFormat.of().toHexDigits(keyed.hi()) + HexFormat.of().toHexDigits(keyed.lo());
  }

  /** The nodes before this one among the first two in rank that can be asked. */
  private List<String> ranked(List<Peers.Node> nodes, long key, long now) {
    List<String> asked = new ArrayList<>(2);
    int first = PeerRanking.first(key, nodes);
    if (first < 0 || isSelf(nodes.get(first))) {
      return asked;
    }
    addIfUsable(asked, nodes.get(first), now);
    int second = PeerRanking.second(key, nodes, first);
    if (second >= 0 && !isSelf(nodes.get(second))) {
      addIfUsable(asked, nodes.get(second), now);
    }
    return asked;
  }

  private boolean isSelf(Peers.Node node) {
    return node.name().equals(directory.self());
  }

  private void addIfUsable(List<String> asked, Peers.Node node, long now) {
    if (node.isPresent() && !directory.health(node.name()).isOut(now)) {
      asked.add(node.name());
    }
  }
}
