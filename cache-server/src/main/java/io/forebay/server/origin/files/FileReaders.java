package io.forebay.server.origin.files;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that open and read the files of all directories, and the places of each. A call has
 * one task at most, and the calls are bounded by the places, so the queue is. One a node; any
 * thread.
 */
public final class FileReaders implements AutoCloseable {
  private static final int THREADS = 4;

  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          1,
          TimeUnit.MINUTES,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().daemon().name("files-", 0).factory());
  private final ConcurrentHashMap<String, OpenFiles> byOrigin = new ConcurrentHashMap<>();

  /** Starts the threads. Not called on a loop, whose CPU they would inherit. */
  public void prepare() {
    int ignored = threads.prestartAllCoreThreads();
  }

  /** The places of an origin. */
  public OpenFiles of(String origin) {
    return byOrigin.computeIfAbsent(origin, name -> new OpenFiles(threads));
  }

  Executor threads() {
    return threads;
  }

  /** What is being read ends; nothing more is. */
  @Override
  public void close() {
    threads.shutdown();
  }
}
