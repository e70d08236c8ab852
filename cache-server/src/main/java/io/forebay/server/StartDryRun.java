package io.forebay.server;

import io.forebay.server.config.MemorySize;
import io.forebay.server.config.ServerConfig;
import io.forebay.storage.memory.MachineMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * Calculates the memory of a start without starting: what a node with this configuration needs on
 * this machine. {@link Server} computes the same. Allocates nothing; reads the machine's limits
 * and, from the data directory, what earlier runs recorded.
 *
 * @param errors for which a start is refused
 * @param warnings that a start logs
 * @param memory the sum in one line; empty where there is none because of an error
 * @param index which part of the disks the index can name; empty without disks
 * @param tierBytes size of the memory tier; 0 where there is none because of an error
 */
public record StartDryRun(
    List<String> errors, List<String> warnings, String memory, String index, long tierBytes) {

  public static StartDryRun of(ServerConfig config) {
    return of(config, MachineMemory.system());
  }

  /** The same on a machine with this memory. */
  public static StartDryRun of(ServerConfig config, MachineMemory machine) {
    return of(MemoryPlan.of(config, machine), config);
  }

  static StartDryRun of(MemoryPlan plan, ServerConfig config) {
    MemorySize size = config.store().memory();
    boolean isPlaceNamed = config.store().memoryDirectory() != null;
    try {
      long tierBytes = plan.tierBytes(size, isPlaceNamed);
      plan.requirePlace(tierBytes, config.store().memoryDirectory());
      List<String> warnings = new ArrayList<>();
      String ofIndex = plan.indexWarning(tierBytes);
      if (ofIndex != null) {
        warnings.add(ofIndex);
      }
      MemoryPlan.Sum sum = plan.expectedSum(tierBytes);
      if (!sum.fits()) {
        warnings.add(sum.warning());
      }
      return new StartDryRun(List.of(), warnings, sum.line(), plan.indexLine(tierBytes), tierBytes);
    } catch (StartException refused) {
      return new StartDryRun(refused.lines(), List.of(), "", "", 0);
    }
  }
}
