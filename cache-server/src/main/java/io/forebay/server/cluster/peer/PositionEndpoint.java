package io.forebay.server.cluster.peer;

import io.forebay.server.cluster.purge.OwnPosition;
import io.forebay.server.json.Json;
import io.forebay.storage.purge.PurgePosition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers {@code GET /forebay/position?at-least=R&epoch=E&wait=MS} with this node's position, once
 * it has applied revision R, or after the wait.
 */
public final class PositionEndpoint implements NodeEndpoint {
  static final String PATH = "/forebay/position";
  private static final long MAX_WAIT_MILLIS = 10_000;

  private final String node;
  private final OwnPosition position;

  public PositionEndpoint(String node, OwnPosition position) {
    this.node = node;
    this.position = position;
  }

  @Override
  public String path() {
    return PATH;
  }

  @Override
  public @Nullable ObjectNode answer(Map<String, List<String>> parameters)
      throws InterruptedException {
    String atLeast = NodeEndpoint.parameter(parameters, "at-least");
    String epoch = NodeEndpoint.parameter(parameters, "epoch");
    String wait = NodeEndpoint.parameter(parameters, "wait");
    if (!atLeast.matches("[0-9]{1,18}")
        || !epoch.matches("[0-9a-f]{32}")
        || !wait.matches("[0-9]{1,9}")) {
      return null;
    }
    long millis = Math.min(Long.parseLong(wait), MAX_WAIT_MILLIS);
    boolean ignored =
        position.await(Long.parseLong(atLeast), epoch, TimeUnit.MILLISECONDS.toNanos(millis));
    PurgePosition at = position.applied();
    ObjectNode body = Json.object().put("node", node);
    return at == null ? body : body.put("position", at.toString());
  }
}
