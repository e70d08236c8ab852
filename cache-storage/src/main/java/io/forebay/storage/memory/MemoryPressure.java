package io.forebay.storage.memory;

import java.util.List;

/**
 * How short memory is, at every level whose limit applies to this process.
 *
 * @param levels the control groups that limit memory, from the innermost outwards, then the machine
 * @param some share of the last ten seconds in which at least one task of the innermost group
 *     waited for memory, 0 to 1
 * @param full the largest share in which all tasks of a group waited at once
 * @param outOfMemory how often one of the groups had no memory left for what was asked of it
 */
public record MemoryPressure(List<Level> levels, double some, double full, long outOfMemory) {

  public MemoryPressure {
    levels = List.copyOf(levels);
  }

  /**
   * A control group with a limit, or the machine.
   *
   * @param roomBytes that can be allocated before the limit is reached, without what the kernel can
   *     drop; negative beyond the limit
   */
  public record Level(String name, long limitBytes, long roomBytes) {}
}
