package io.forebay.server.rule.expression;

import java.util.Set;

/** A compiled condition in CEL. Immutable; evaluated by any thread. */
public final class Expression {
  /** What one evaluation may take: a step is a node, or some characters of a text. */
  static final int MAX_STEPS = 4000;

  private final String text;
  private final Node root;
  private final int slots;
  private final Set<VariableUse> uses;

  Expression(String text, Node root, int slots, Set<VariableUse> uses) {
    this.text = text;
    this.root = root;
    this.slots = slots;
    this.uses = Set.copyOf(uses);
  }

  /**
   * Whether it holds.
   *
   * @param budget of the message; what the evaluation takes is taken from it
   * @throws EvaluationException where it has no value
   */
  public boolean holds(ExpressionInputs inputs, StepBudget budget) {
    Frame frame = new Frame(inputs, slots, Math.min(MAX_STEPS, budget.left()));
    try {
      return Operators.bool(root.value(frame));
    } finally {
      budget.take(frame.taken());
    }
  }

  /** The parts of a message that it depends on. */
  public Set<VariableUse> uses() {
    return uses;
  }

  /** As it was written. */
  @Override
  public String toString() {
    return text;
  }
}
