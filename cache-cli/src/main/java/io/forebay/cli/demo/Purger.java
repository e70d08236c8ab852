package io.forebay.cli.demo;

/** Purges one URL through the admin API and returns once the purge is durable and in force. */
@FunctionalInterface
interface Purger {
  /** Milliseconds the node says it took. */
  double purge(String url);
}
