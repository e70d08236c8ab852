package io.forebay.server.origin.balance;

import io.forebay.core.key.RendezvousHash;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Takes the same candidate for the same URL as long as it may be used, by weighted rendezvous
 * hashing. Where it may not, the URL goes to the candidate with the next score, and only such URLs
 * move.
 */
final class Consistent implements BalancePolicy {

  @Override
  public int choose(List<? extends Candidate> candidates, LongSupplier key) {
    long number = key.getAsLong();
    return hasEqualWeights(candidates) ? byDraw(candidates, number) : byScore(candidates, number);
  }

  private static boolean hasEqualWeights(List<? extends Candidate> candidates) {
    int weight = candidates.getFirst().weight();
    for (int i = 1; i < candidates.size(); i++) {
      if (candidates.get(i).weight() != weight) {
        return false;
      }
    }
    return true;
  }

  private static int byDraw(List<? extends Candidate> candidates, long key) {
    int best = 0;
    long highest = RendezvousHash.draw(key, candidates.getFirst().number());
    for (int i = 1; i < candidates.size(); i++) {
      long draw = RendezvousHash.draw(key, candidates.get(i).number());
      if (Long.compareUnsigned(draw, highest) > 0) {
        highest = draw;
        best = i;
      }
    }
    return best;
  }

  private static int byScore(List<? extends Candidate> candidates, long key) {
    int best = 0;
    double highest = 0;
    for (int i = 0; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      double score = RendezvousHash.score(key, candidate.number(), candidate.weight());
      if (score > highest) {
        highest = score;
        best = i;
      }
    }
    return best;
  }
}
