package io.forebay.plugin;

import java.util.List;

/** Asked about each request for which the condition of the rule holds, hits included. */
public interface RequestPhase extends Handler {

  /**
   * The groups into which requests can be put, at most 63. Each group has stored responses of its
   * own. Asked once, when the configuration is loaded.
   */
  default List<Group> groups() {
    return List.of();
  }

  /** What becomes of the request. */
  RequestDecision onRequest(ClientRequest request);
}
