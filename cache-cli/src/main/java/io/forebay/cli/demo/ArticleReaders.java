package io.forebay.cli.demo;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Readers of a cluster, one for each node, who look for what a purge promises: no read that begins
 * after the acknowledgement gives an older version. Whoever finds no node counts that and tries
 * again.
 */
final class ArticleReaders implements AutoCloseable {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final AtomicIntegerArray acknowledged;
  private final LongAdder reads = new LongAdder();
  private final LongAdder staleReads = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean isOver;

  ArticleReaders(List<DemoNode> nodes, int articles) {
    this.acknowledged = new AtomicIntegerArray(articles);
    nodes.forEach(node -> threads.execute(() -> readFrom(node)));
  }

  /** From now on, older versions of an article are not to be seen. */
  void onAcknowledged(int article, int version) {
    acknowledged.set(article, version);
  }

  long reads() {
    return reads.sum();
  }

  /** Reads that gave a version older than one acknowledged before they began. */
  long staleReads() {
    return staleReads.sum();
  }

  /** Reads without a response, as from a node that is killed. */
  long failures() {
    return failures.sum();
  }

  /** Reads with a response that was no success. */
  long errors() {
    return errors.sum();
  }

  private void readFrom(DemoNode node) {
    try (Viewer viewer = node.newViewer()) {
      while (!isOver) {
        int article = ThreadLocalRandom.current().nextInt(acknowledged.length());
        int atLeast = acknowledged.get(article);
        try {
          Viewer.Got got = viewer.get(ArticleOrigin.path(article));
          if (got.status() == 200) {
            reads.increment();
            if (ClusterScenario.version(got) < atLeast) {
              staleReads.increment();
            }
          } else {
            errors.increment();
          }
        } catch (IOException gone) {
          failures.increment();
          viewer.disconnect();
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (IOException closing) {
      // Of a connection that was broken anyway.
    }
  }

  @Override
  public void close() {
    isOver = true;
    threads.shutdown();
  }
}
