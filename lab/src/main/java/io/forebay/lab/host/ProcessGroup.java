package io.forebay.lab.host;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * CPU that a changing set of processes has used since it was first looked at. What a process used
 * before that is not counted, and what ended processes used is not lost: it is in the times of the
 * parent that waited for them, or else kept as it was when they were last seen.
 *
 * <pre>
 *   sum = for each live process (own + reaped - base), and what is kept of ended ones
 * </pre>
 */
final class ProcessGroup {
  private final KernelTree kernel;

  /** Before which a process was there already when the recording began. */
  private final long beginTicks;

  private final Map<Long, Tracked> tracked = new HashMap<>();
  private CpuTicks ended = CpuTicks.NONE;
  private CpuTicks sum = CpuTicks.NONE;

  /**
   * A process that was there at the last look.
   *
   * @param base used before it was first seen, by a process that is older than the recording
   */
  private record Tracked(ProcessStat stat, CpuTicks base) {}

  ProcessGroup(KernelTree kernel, long beginTicks) {
    this.kernel = kernel;
    this.beginTicks = beginTicks;
  }

  /** Looks at the processes of the group, and at those that were in it. */
  CpuTicks update(List<Long> listed) {
    Map<Long, Tracked> before = Map.copyOf(tracked);
    for (long id : parentsFirst(listed)) {
      ProcessStat stat = ProcessStat.read(kernel.process(id).resolve("stat"));
      Tracked old = tracked.get(id);
      if (stat == null) {
        tracked.remove(id);
      } else if (old != null && old.stat.isSame(stat)) {
        tracked.put(id, new Tracked(stat, old.base));
      } else {
        tracked.put(
            id, new Tracked(stat, stat.startTicks() < beginTicks ? stat.all() : CpuTicks.NONE));
      }
    }
    settle(before);
    CpuTicks live = CpuTicks.NONE;
    for (Tracked one : tracked.values()) {
      live = live.plus(one.stat.all()).minus(one.base);
    }
    // Reading takes time, in which processes end: a moment's sum may lack what the next one has.
    sum = sum.orMore(live.plus(ended));
    return sum;
  }

  /** Numbers of the processes that are there. */
  List<Long> live() {
    return List.copyOf(tracked.keySet());
  }

  /** A child that ends after its parent was read cannot be counted with both. */
  private List<Long> parentsFirst(List<Long> listed) {
    Set<Long> all = new HashSet<>(listed);
    all.addAll(tracked.keySet());
    List<Long> order = new ArrayList<>(all);
    order.sort(
        Comparator.<Long>comparingLong(
                id -> {
                  Tracked known = tracked.get(id);
                  return known == null ? Long.MAX_VALUE : known.stat.startTicks();
                })
            .thenComparing(Comparator.naturalOrder()));
    return order;
  }

  /** Finds the times of processes that ended: with their parents, or as last seen. */
  private void settle(Map<Long, Tracked> before) {
    Map<Long, List<Tracked>> ofHeir = new HashMap<>();
    for (Tracked gone : before.values()) {
      if (!isLive(gone)) {
        Long heir = heir(gone, before);
        if (heir == null) {
          ended = ended.plus(gone.stat.all()).minus(gone.base);
        } else {
          ofHeir.computeIfAbsent(heir, _ -> new ArrayList<>()).add(gone);
        }
      }
    }
    ofHeir.forEach((heir, gone) -> settle(heir, gone, before));
  }

  private void settle(long heir, List<Tracked> gone, Map<Long, Tracked> before) {
    Tracked parent = tracked.get(heir);
    Tracked earlier = before.get(heir);
    if (parent == null || earlier == null) {
      return;
    }
    // It was read before its children; since they are gone now, it has what it got of them.
    ProcessStat again = ProcessStat.read(kernel.process(heir).resolve("stat"));
    if (again != null && again.isSame(parent.stat)) {
      parent = new Tracked(again, parent.base);
      tracked.put(heir, parent);
    }
    CpuTicks growth = parent.stat.reaped().minus(earlier.stat.reaped());
    CpuTicks last = CpuTicks.NONE;
    CpuTicks bases = CpuTicks.NONE;
    for (Tracked one : gone) {
      last = last.plus(one.stat.all());
      bases = bases.plus(one.base);
    }
    // A parent that ignores the end of its children does not get their times.
    ended = growth.sum() >= last.sum() ? ended.minus(bases) : ended.plus(last).minus(bases);
  }

  private boolean isLive(Tracked one) {
    Tracked now = tracked.get(one.stat.id());
    return now != null && now.stat.isSame(one.stat);
  }

  /** The nearest ancestor in the group that still lives; null where there is none. */
  private @Nullable Long heir(Tracked gone, Map<Long, Tracked> before) {
    Tracked parent = before.get(gone.stat.parent());
    for (int steps = 0; parent != null && steps < before.size(); steps++) {
      if (isLive(parent)) {
        return parent.stat.id();
      }
      parent = before.get(parent.stat.parent());
    }
    return null;
  }
}
