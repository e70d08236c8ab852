package io.forebay.e2e;

/** A real server as a process that a test kills, stops and starts again on its port. */
interface RestartableServer extends AutoCloseable {

  /** SIGKILL: whatever it was sending ends where it is. */
  void kill() throws InterruptedException;

  /** Starts it again on its port, once it was killed. */
  void restart() throws Exception;

  /** Sends it a signal, as STOP or CONT. */
  void signal(String name) throws Exception;

  @Override
  void close() throws InterruptedException;
}
