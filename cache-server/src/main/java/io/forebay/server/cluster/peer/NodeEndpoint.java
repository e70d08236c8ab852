package io.forebay.server.cluster.peer;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Answers {@code GET} requests of other nodes for one path. Any thread. */
public interface NodeEndpoint {

  /** The path of its requests. */
  String path();

  /**
   * Makes the answer, which may take some seconds. An interrupt tells it that the other node has
   * closed the connection.
   *
   * @return null where the parameters are malformed
   */
  @Nullable ObjectNode answer(Map<String, List<String>> parameters) throws InterruptedException;

  /** The only value of a parameter; empty where there is none, or several. */
  static String parameter(Map<String, List<String>> parameters, String name) {
    List<String> values = parameters.getOrDefault(name, List.of());
    return values.size() == 1 ? values.getFirst() : "";
  }
}
