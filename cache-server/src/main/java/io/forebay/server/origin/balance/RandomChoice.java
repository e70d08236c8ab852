package io.forebay.server.origin.balance;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Takes a candidate at random, each with the probability that its weight says. */
final class RandomChoice implements BalancePolicy {
  private final RandomGenerator random;

  RandomChoice(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public int choose(List<? extends Candidate> candidates, LongSupplier key) {
    int sum = 0;
    for (int i = 0; i < candidates.size(); i++) {
      sum += candidates.get(i).weight();
    }
    int left = random.nextInt(sum);
    int chosen = 0;
    while (left >= candidates.get(chosen).weight()) {
      left -= candidates.get(chosen).weight();
      chosen++;
    }
    return chosen;
  }
}
