package io.forebay.cli.demo;

/** Purges one URL through the admin API and returns once that is on disk and in force. */
@FunctionalInterface
interface Purger {
  /** Milliseconds the node says it took. */
  double purge(String url);
}
