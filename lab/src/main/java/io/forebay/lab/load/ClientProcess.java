package io.forebay.lab.load;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/** The lab's own client, as one process on this machine or several that share the load. */
final class ClientProcess implements LoadGenerator {
  private final ClientGroup group;

  /**
   * A generator.
   *
   * @param processes started for each plan
   * @param threads event loops of each process
   */
  ClientProcess(int processes, int threads) {
    List<String> command = ClientJvm.here();
    group =
        new ClientGroup(
            IntStream.range(0, processes)
                .mapToObj(i -> new ClientGroup.Member(Integer.toString(i + 1), command))
                .toList(),
            threads);
  }

  @Override
  public LoadOutcome run(LoadPlan plan, Observer observer)
      throws IOException, InterruptedException {
    return group.run(plan, observer);
  }
}
