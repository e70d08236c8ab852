package io.forebay.cli.cluster;

import java.util.Comparator;
import java.util.Locale;

/**
 * Orders of the nodes in {@code cluster top}: by a figure, what needs a look first. Nodes without
 * figures come last, and equals in the order of their names.
 */
enum TopOrder {
  NAME,
  REQUESTS,
  HITS,
  BYTES,
  OUT,
  ORIGIN,
  ERRORS,
  PENDING,
  BEHIND;

  Comparator<TopReport.Node> order() {
    return Comparator.comparingDouble(this::place).thenComparing(TopReport.Node::name);
  }

  /** The smaller the sooner; what is not a number counts as greater than all others. */
  private double place(TopReport.Node node) {
    if (this == NAME) {
      return 0;
    }
    if (!node.hasRates()) {
      return Double.NaN;
    }
    NodeRates rates = node.rates();
    return switch (this) {
      case NAME -> 0;
      case REQUESTS -> -rates.clientRequests();
      case HITS -> rates.hitRatio();
      case BYTES -> rates.byteHitRatio();
      case OUT -> -rates.clientBytes();
      case ORIGIN -> -rates.originRequests();
      case ERRORS -> -rates.errors();
      case PENDING -> -node.pending();
      case BEHIND -> -node.behind();
    };
  }

  /** As the option has it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
