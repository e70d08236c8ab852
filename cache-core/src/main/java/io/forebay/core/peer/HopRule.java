package io.forebay.core.peer;

/**
 * Decides which requests of other nodes a node takes. A request goes to a node of the same tier
 * once at most, then only away from the clients, so no request comes back.
 *
 * <pre>
 *   tier 0   edge ─ hop 1 ─▶ edge        a request with hop 1 goes to no other node of the tier
 *                            │ hop 0
 *   tier 1                   ▼
 *            shield ◀────────┘           a request with hop 0 ends here, or goes on
 * </pre>
 */
public final class HopRule {
  private HopRule() {}

  /**
   * Whether a node takes a request.
   *
   * @param tier of the node that asks
   * @param hop as the request has it
   * @param ownTier of the node that is asked
   */
  public static boolean admits(int tier, int hop, int ownTier) {
    return switch (hop) {
      case 0 -> tier < ownTier;
      case 1 -> tier == ownTier;
      default -> false;
    };
  }
}
