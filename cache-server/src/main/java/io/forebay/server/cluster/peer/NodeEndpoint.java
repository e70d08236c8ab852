package io.forebay.server.cluster.peer;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** What other nodes may ask with {@code GET}. Any thread. */
public interface NodeEndpoint {

  /** Of the request. */
  String path();

  /**
   * The answer, which may take some seconds. Interrupted when whoever has asked is gone.
   *
   * @return null where the question is malformed
   */
  @Nullable ObjectNode answer(Map<String, List<String>> parameters) throws InterruptedException;

  /** The only value of a parameter; empty where there is none, or several. */
  static String parameter(Map<String, List<String>> parameters, String name) {
    List<String> values = parameters.getOrDefault(name, List.of());
    return values.size() == 1 ? values.getFirst() : "";
  }
}
