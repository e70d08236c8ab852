package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.Directive;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement within a {@code sub}. Each has its line in the report. */
sealed interface VclStatement {
  /** What the report has a verdict for; of an {@code if} that of its first branch. */
  Directive of();

  /** {@code set NAME = VALUE}; the operator may also be {@code +=} and the like. */
  record Assign(Directive of, String target, String operator, VclExpression value)
      implements VclStatement {}

  /** {@code unset NAME}. */
  record Unset(Directive of, String target) implements VclStatement {}

  /** {@code return (ACTION)}, with what is in the parentheses of the action. */
  record Return(Directive of, String action, List<VclExpression> arguments)
      implements VclStatement {}

  /** {@code call NAME}. */
  record CallSub(Directive of, String name) implements VclStatement {}

  /** {@code new NAME = CONSTRUCTOR(...)}. */
  record New(Directive of, String name, VclExpression value) implements VclStatement {}

  /** A function or method that is called. */
  record Invoke(Directive of, VclExpression.Call call) implements VclStatement {}

  /** {@code if} with its further branches. */
  record If(List<Branch> branches) implements VclStatement {
    @Override
    public Directive of() {
      return branches.getFirst().of();
    }
  }

  /** What is not understood, such as program text in C. */
  record Unknown(Directive of, String why) implements VclStatement {}

  /**
   * One branch of an {@code if}.
   *
   * @param condition null for {@code else}
   */
  record Branch(Directive of, @Nullable VclExpression condition, List<VclStatement> body) {}
}
