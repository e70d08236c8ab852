package io.forebay.server.origin.balance;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Takes the candidates in turn, each as often as its weight says, and spreads the turns of a heavy
 * one (the smooth weighted round robin of nginx): weights 5, 1, 1 give a a b a c a a.
 *
 * <p>Each choice adds its weight to every candidate's credit, takes the candidate with the highest
 * credit, and subtracts the sum of the weights from it.
 */
final class RoundRobin implements BalancePolicy {
  private final RandomGenerator random;
  private boolean hasBegun;

  /**
   * A policy that has made no choice yet.
   *
   * @param random where the first turn begins, so that loops do not begin at the same endpoint
   */
  RoundRobin(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public int choose(List<? extends Candidate> candidates, LongSupplier key) {
    if (!hasBegun) {
      hasBegun = true;
      for (int skipped = random.nextInt(candidates.size()); skipped > 0; skipped--) {
        next(candidates);
      }
    }
    return next(candidates);
  }

  private static int next(List<? extends Candidate> candidates) {
    long sum = 0;
    int best = 0;
    for (int i = 0; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      candidate.credit += candidate.weight();
      sum += candidate.weight();
      if (candidate.credit > candidates.get(best).credit) {
        best = i;
      }
    }
    candidates.get(best).credit -= sum;
    return best;
  }
}
