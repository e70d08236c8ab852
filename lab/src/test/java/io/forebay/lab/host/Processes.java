package io.forebay.lab.host;

import io.forebay.testing.FileTree;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Writes processes into a tree, as the kernel shows them. */
final class Processes {
  private final FileTree tree;

  Processes(FileTree tree) {
    this.tree = tree;
  }

  /** Times in ticks; of the process itself, and of children that it waited for. */
  Processes is(
      long id, String name, long parent, long start, long user, long system, long... reaped) {
    tree.file(
        "proc/" + id + "/stat",
        line(
            id,
            name,
            parent,
            start,
            user,
            system,
            reaped.length > 0 ? reaped[0] : 0,
            reaped.length > 1 ? reaped[1] : 0));
    return this;
  }

  Processes thread(long process, long id, String name, long start, long user, long system) {
    tree.file(
        "proc/" + process + "/task/" + id + "/stat", line(id, name, 1, start, user, system, 0, 0));
    return this;
  }

  /** They end, and their parents have waited for them. */
  Processes end(long... ids) {
    for (long id : ids) {
      tree.remove("proc/" + id);
    }
    return this;
  }

  private static String line(long id, String name, long parent, long start, long... times) {
    List<String> words = new ArrayList<>(Collections.nCopies(50, "0"));
    words.set(0, "S");
    words.set(1, Long.toString(parent));
    for (int n = 0; n < times.length; n++) {
      words.set(11 + n, Long.toString(times[n]));
    }
    words.set(19, Long.toString(start));
    return id + " (" + name + ") " + String.join(" ", words);
  }
}
