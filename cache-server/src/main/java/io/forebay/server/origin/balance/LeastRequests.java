package io.forebay.server.origin.balance;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Takes the candidate with the fewest requests in progress on this event loop for its weight. Of
 * several, one at random.
 */
final class LeastRequests implements BalancePolicy {
  private final RandomGenerator random;

  LeastRequests(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public int choose(List<? extends Candidate> candidates, LongSupplier key) {
    int best = 0;
    int equal = 1;
    for (int i = 1; i < candidates.size(); i++) {
      int order = compare(candidates.get(i), candidates.get(best));
      if (order < 0) {
        best = i;
        equal = 1;
      } else if (order == 0) {
        equal++;
        if (random.nextInt(equal) == 0) {
          best = i;
        }
      }
    }
    return best;
  }

  /** By requests per weight, with the one that is to come. */
  private static int compare(Candidate one, Candidate other) {
    return Long.compare(
        (one.requests() + 1L) * other.weight(), (other.requests() + 1L) * one.weight());
  }
}
