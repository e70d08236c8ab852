package io.forebay.core.peer;

/**
 * Which requests of other nodes a node takes. Each goes to a node of the same tier once at most,
 * then only away from the clients, so no request comes back.
 *
 * <pre>
 *   tier 0   edge ─ hop 1 ─▶ edge        what came with hop 1 goes no further within the tier
 *                            │ hop 0
 *   tier 1                   ▼
 *            shield ◀────────┘           what came with hop 0 goes to the store or on
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
