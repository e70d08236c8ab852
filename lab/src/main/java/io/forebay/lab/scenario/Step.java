package io.forebay.lab.scenario;

import org.jspecify.annotations.Nullable;

/**
 * One load on one set-up. Steps that follow each other and have the same set-up share a started
 * server.
 *
 * @param name unique in the scenario: {@code live-48}
 * @param search what it looks for by raising connections or channels, or null for a plain step
 */
public record Step(String name, Setup setup, Load load, @Nullable Search search) {

  public Step named(String other) {
    return new Step(other, setup, load, null);
  }

  public Step with(Load other) {
    return new Step(name, setup, other, search);
  }

  public Step with(Setup other) {
    return new Step(name, other, load, search);
  }
}
