package io.forebay.lab.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.forebay.testing.FileTree;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** CPU of processes and compiler threads that begin and end. */
final class ProcessGroupTest {
  private static final long BEGIN = 1000;
  private static final long OLD = 500;
  private static final long NEW = 1500;

  @TempDir private Path root;
  private Processes processes;
  private ProcessGroup group;

  @BeforeEach
  void tree() {
    processes = new Processes(FileTree.in(root));
    group = new ProcessGroup(new KernelTree(root), BEGIN);
  }

  private CpuTicks update(Long... ids) {
    return group.update(List.of(ids));
  }

  @Test
  void whatAProcessUsedBeforeIsNotCounted() {
    processes.is(10, "java", 1, OLD, 300, 200, 40, 30);
    assertEquals(new CpuTicks(0, 0), update(10L));

    processes.is(10, "java", 1, OLD, 350, 210, 45, 31);
    assertEquals(new CpuTicks(55, 11), update(10L));
  }

  @Test
  void aProcessThatBeganSinceCountsWhole() {
    assertEquals(new CpuTicks(0, 0), update());

    processes.is(11, "worker (1) x", 1, NEW, 7, 3);
    assertEquals(new CpuTicks(7, 3), update(11L));
  }

  /** nginx reloads: workers end, the master has waited for them. */
  @Test
  void anEndedChildIsInItsParentsTimes() {
    processes.is(10, "master", 1, OLD, 5, 5).is(11, "worker", 10, OLD, 100, 50);
    update(10L, 11L);
    processes.is(11, "worker", 10, OLD, 160, 70);
    assertEquals(new CpuTicks(60, 20), update(10L, 11L));

    processes.end(11).is(10, "master", 1, OLD, 6, 5, 175, 78).is(12, "worker", 10, NEW, 2, 1);
    assertEquals(new CpuTicks(60 + 15 + 1 + 2, 20 + 8 + 1), update(10L, 12L));
    assertEquals(new CpuTicks(78, 29), update(10L, 12L));
  }

  @Test
  void aChildThatWasNeverSeenIsInItsParentsTimes() {
    processes.is(10, "master", 1, OLD, 5, 5);
    update(10L);

    processes.is(10, "master", 1, OLD, 5, 5, 33, 11);
    assertEquals(new CpuTicks(33, 11), update(10L));
  }

  @Test
  void anEndedChildThatItsParentIgnoresKeepsWhatWasSeen() {
    processes.is(10, "master", 1, OLD, 5, 5).is(11, "worker", 10, OLD, 100, 50);
    update(10L, 11L);
    processes.is(11, "worker", 10, OLD, 160, 70);
    update(10L, 11L);

    processes.end(11).is(10, "master", 1, OLD, 8, 5);
    assertEquals(new CpuTicks(63, 20), update(10L));
  }

  @Test
  void aChainOfEndedProcessesIsInTheTimesOfTheOneThatIsLeft() {
    processes
        .is(10, "master", 1, OLD, 0, 0)
        .is(11, "helper", 10, NEW, 10, 0)
        .is(12, "child", 11, NEW, 20, 0);
    assertEquals(new CpuTicks(30, 0), update(10L, 11L, 12L));

    processes.end(11, 12).is(10, "master", 1, OLD, 0, 0, 35, 0);
    assertEquals(new CpuTicks(35, 0), update(10L));
  }

  @Test
  void anEndedProcessWithoutAParentInTheGroupKeepsWhatWasSeen() {
    processes.is(10, "java", 1, OLD, 300, 200);
    update(10L);
    processes.is(10, "java", 1, OLD, 310, 202);
    update(10L);

    processes.end(10);
    assertEquals(new CpuTicks(10, 2), update());
  }

  @Test
  void aNumberThatIsUsedAgainIsAnotherProcess() {
    processes.is(10, "java", 1, OLD, 300, 200);
    update(10L);
    processes.is(10, "java", 1, OLD, 310, 202);
    update(10L);

    processes.is(10, "sh", 1, NEW, 4, 1);
    assertEquals(new CpuTicks(14, 3), update(10L));
  }

  @Test
  void aProcessThatIsNoLongerListedIsStillLookedAt() {
    processes.is(10, "java", 1, OLD, 0, 0);
    update(10L);
    processes.is(10, "java", 1, OLD, 9, 1);
    assertEquals(new CpuTicks(9, 1), update());
  }

  @Test
  void compilersThatBeginAndEndAreCounted() {
    CompilerThreads compilers = new CompilerThreads(new KernelTree(root), BEGIN);
    processes
        .thread(10, 10, "java", OLD, 900, 900)
        .thread(10, 20, "C2 CompilerThre", OLD, 100, 10)
        .thread(10, 21, "C1 CompilerThre", OLD, 50, 5);
    assertEquals(new CpuTicks(0, 0), compilers.update(List.of(10L)));

    processes
        .thread(10, 10, "java", OLD, 950, 950)
        .thread(10, 20, "C2 CompilerThre", OLD, 130, 11)
        .thread(10, 22, "C2 CompilerThre", NEW, 8, 0);
    assertEquals(new CpuTicks(38, 1), compilers.update(List.of(10L)));

    FileTree.in(root).remove("proc/10/task/20");
    processes.thread(10, 22, "C2 CompilerThre", NEW, 9, 0);
    assertEquals(new CpuTicks(39, 1), compilers.update(List.of(10L)));
  }

  @Test
  void aNameMayHaveParentheses() {
    ProcessStat stat =
        Objects.requireNonNull(
            ProcessStat.parse("7 (a) b (c) S 1 0 0 0 0 0 0 0 0 0 11 12 13 14 0 0 1 0 99 0 0\n"));

    assertEquals("a) b (c", stat.name());
    assertEquals(new CpuTicks(11, 12), stat.own());
    assertEquals(new CpuTicks(13, 14), stat.reaped());
    assertEquals(99, stat.startTicks());
    assertNull(ProcessStat.parse("7 (a) S 1"));
    assertNull(ProcessStat.parse(""));
    assertNull(ProcessStat.parse("7 (a) S 1 0 0 0 0 0 0 0 0 0 x 12 13 14 0 0 1 0 99 0 0"));
  }
}
