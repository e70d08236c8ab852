package io.forebay.core.policy;

import java.util.function.Function;

/** Holds one instance of each decision and reason, so that deciding allocates nothing. */
final class SharedInstances {

  static final Decision.Revalidate[] REVALIDATE =
      all(Decision.Revalidate::new, new Decision.Revalidate[Reason.values().length]);
  static final Decision.Fetch[] FETCH =
      all(Decision.Fetch::new, new Decision.Fetch[Reason.values().length]);
  static final Decision.Pass[] PASS =
      all(Decision.Pass::new, new Decision.Pass[Reason.values().length]);

  private SharedInstances() {}

  static <T extends Decision> T of(T[] instances, Reason reason) {
    return instances[reason.ordinal()];
  }

  private static <T extends Decision> T[] all(Function<Reason, T> create, T[] into) {
    for (Reason reason : Reason.values()) {
      into[reason.ordinal()] = create.apply(reason);
    }
    return into;
  }
}
