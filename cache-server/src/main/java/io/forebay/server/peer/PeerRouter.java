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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says whose a key is. Keys are spread by the hash of their texts under a secret that is the name
 * of the cluster's log, so clients cannot choose keys of one node. One for each loop.
 */
public final class PeerRouter {
  private final PeerDirectory directory;
  private final Consumer<TargetUri> sender;

  /** With the log's name for its secret; null until there is one. */
  private @Nullable KeyBuilder keys;

  private String epoch = "";

  /** A router; {@code sender} tells other nodes what to forget. */
  public PeerRouter(PeerDirectory directory, Consumer<TargetUri> sender) {
    this.directory = directory;
    this.sender = sender;
  }

  /** A client has changed what a URL stands for: other nodes forget what they have of it. */
  public void forget(TargetUri target) {
    sender.accept(target);
  }

  /**
   * Whom a miss asks; null where it goes to the origin.
   *
   * @param request of the fill
   * @param isFromPeer whether another node has asked: then no node of the own tier is asked
   */
  public @Nullable PeerPlan plan(RequestView request, KeyRecipe recipe, boolean isFromPeer) {
    Peers peers = directory.peers();
    if (peers.group().size() < 2 && peers.shield().isEmpty()) {
      return null;
    }
    long now = System.nanoTime();
    PurgePosition begun = directory.begun();
    if (begun == null || directory.isCutOff(now)) {
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

  /** Whether what other nodes own is kept once it has been sent. */
  public boolean keepsCopies() {
    return directory.keepsCopies();
  }

  /** Whether that digest of a base key, under the log of that name, is that of a request here. */
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

  /** Those that come before this node among the first two, and can be asked. */
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
