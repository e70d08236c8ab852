package io.forebay.lab.run;

import io.forebay.lab.load.LoadOutcome;
import io.forebay.lab.result.StepResult;

/** Is told how far a run is. */
public interface Progress {

  /** A program is filled, or the size of its store is looked for; {@code what} says which. */
  void preparing(String target, String what);

  /** A step begins. */
  void begins(String scenario, String target, String step, int repetition);

  /** A second of the load is over. */
  void second(LoadOutcome.Second second);

  void ended(String scenario, String target, StepResult result);

  /** Something went wrong that ends nothing. */
  void problem(String sentence);

  /** Says nothing. */
  Progress NONE =
      new Progress() {
        @Override
        public void preparing(String target, String what) {}

        @Override
        public void begins(String scenario, String target, String step, int repetition) {}

        @Override
        public void second(LoadOutcome.Second second) {}

        @Override
        public void ended(String scenario, String target, StepResult result) {}

        @Override
        public void problem(String sentence) {}
      };
}
