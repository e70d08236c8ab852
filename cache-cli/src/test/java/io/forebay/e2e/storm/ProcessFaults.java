package io.forebay.e2e.storm;

import io.forebay.e2e.storm.History.Tally;
import io.forebay.e2e.storm.Nemesis.Trace;
import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.EtcdFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Processes that are killed with -9 or stopped. */
final class ProcessFaults {
  private ProcessFaults() {}

  static Trace killNode(Scene scene) throws Exception {
    Tally before = scene.history().tally();
    scene.edge().kill();
    long millis = scene.hold(scene.millis(400, 7_000));
    Tally meanwhile = scene.history().tally().since(before);
    EdgeProcess ignored = scene.edge().restart();
    return new Trace(
        meanwhile.ended() > 0,
        "%s, dead for %d ms: %d orders meanwhile, %d acknowledged with a fenced node"
            .formatted(scene.name(), millis, meanwhile.ended(), meanwhile.fenced()));
  }

  static Trace stopNode(Scene scene) throws Exception {
    int times = scene.random().nextInt(3) == 0 ? 6 : 1;
    Tally before = scene.history().tally();
    StringBuilder durations = new StringBuilder();
    boolean isShown = true;
    for (int i = 0; i < times; i++) {
      Stop stop = stop(scene, scene.edge().pid(), scene.millis(100, times == 1 ? 20_000 : 1_500));
      isShown &= stop.isShown();
      durations.append(i == 0 ? "" : ", ").append(stop.millis());
      long ignored = scene.hold(scene.millis(50, 300));
    }
    Tally meanwhile = scene.history().tally().since(before);
    return new Trace(
        isShown && meanwhile.ended() > 0,
        "%s for %s ms: %d orders, %d acknowledged with a fenced node"
            .formatted(scene.name(), durations, meanwhile.ended(), meanwhile.fenced()));
  }

  private record Stop(boolean isShown, long millis) {}

  private static Stop stop(Scene scene, long pid, long millis) throws Exception {
    Commands.Finished stopped = Commands.run("kill", "-STOP", Long.toString(pid)).orFail();
    try {
      Await.until(stopped + " shows", () -> isStopped(pid));
      long held = scene.hold(millis);
      return new Stop(isStopped(pid), held);
    } finally {
      Commands.Finished ignored = Commands.run("kill", "-CONT", Long.toString(pid)).orFail();
    }
  }

  private static boolean isStopped(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
  }

  static Trace killMember(Scene scene) throws Exception {
    EtcdFixture etcd = scene.cluster().etcd();
    int leader = etcd.leader();
    int killed = member(scene, leader);
    Tally before = scene.history().tally();
    etcd.kill(killed);
    long millis = scene.hold(scene.millis(300, 6_000));
    Tally meanwhile = scene.history().tally().since(before);
    etcd.restart(killed);
    return new Trace(
        meanwhile.ended() > 0,
        "%s%s, dead for %d ms: %d orders meanwhile"
            .formatted(
                StormCluster.member(killed),
                killed == leader ? ", the leader" : "",
                millis,
                meanwhile.ended()));
  }

  /** The leader, or any. */
  private static int member(Scene scene, int leader) {
    return leader >= 0 && scene.random().nextInt(3) > 0
        ? leader
        : scene.random().nextInt(StormCluster.MEMBERS);
  }

  static Trace stopMember(Scene scene) throws Exception {
    EtcdFixture etcd = scene.cluster().etcd();
    int leader = etcd.leader();
    int stopped = member(scene, leader);
    Tally before = scene.history().tally();
    Stop stop = stop(scene, etcd.pid(stopped), scene.millis(100, 12_000));
    Tally meanwhile = scene.history().tally().since(before);
    return new Trace(
        stop.isShown(),
        "%s%s for %d ms: %d orders meanwhile"
            .formatted(
                StormCluster.member(stopped),
                stopped == leader ? ", the leader," : "",
                stop.millis(),
                meanwhile.ended()));
  }

  static Trace killEverything(Scene scene) throws Exception {
    StormCluster cluster = scene.cluster();
    Tally before = scene.history().tally();
    for (int i = 0; i < StormCluster.NODES; i++) {
      cluster.edge(i).kill();
    }
    for (int i = 0; i < StormCluster.MEMBERS; i++) {
      cluster.etcd().kill(i);
    }
    long millis = scene.hold(scene.millis(100, 1_000));
    for (int i = 0; i < StormCluster.MEMBERS; i++) {
      cluster.etcd().restart(i);
    }
    Tally meanwhile = scene.history().tally().since(before);
    List<Future<EdgeProcess>> starts = new ArrayList<>();
    try (ExecutorService starters = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < StormCluster.NODES; i++) {
        EdgeProcess edge = cluster.edge(i);
        starts.add(starters.submit(edge::restart));
      }
    }
    for (Future<EdgeProcess> start : starts) {
      EdgeProcess ignored = start.get();
    }
    return new Trace(
        meanwhile.refused() > 0,
        "for %d ms: %d orders failed meanwhile".formatted(millis, meanwhile.refused()));
  }
}
