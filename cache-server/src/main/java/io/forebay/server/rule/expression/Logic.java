package io.forebay.server.rule.expression;

import java.util.List;

/**
 * Nodes that do not evaluate all of their parts. An error in one operand of {@code &&} or {@code
 * ||} does not matter where the other one decides, whatever their order.
 */
final class Logic {
  private static final int FAILURE_STEPS = 24;

  private Logic() {}

  static Node and(Node left, Node right) {
    return either(left, right, false);
  }

  static Node or(Node left, Node right) {
    return either(left, right, true);
  }

  private static Node either(Node left, Node right, boolean decisive) {
    return frame -> {
      frame.charge(1);
      EvaluationException failure = null;
      try {
        if (Operators.bool(left.value(frame)) == decisive) {
          return decisive;
        }
      } catch (EvaluationException e) {
        failure = absorbed(frame, e);
      }
      if (Operators.bool(right.value(frame)) == decisive) {
        return decisive;
      }
      if (failure != null) {
        throw failure;
      }
      return !decisive;
    };
  }

  static Node choice(Node condition, Node then, Node otherwise) {
    return frame -> {
      frame.charge(1);
      return Operators.bool(condition.value(frame)) ? then.value(frame) : otherwise.value(frame);
    };
  }

  /** True where the node has no value. */
  static Node notStrictlyFalse(Node node) {
    return frame -> {
      try {
        return Operators.bool(node.value(frame));
      } catch (EvaluationException e) {
        absorbed(frame, e);
        return true;
      }
    };
  }

  /**
   * A loop, as the macros {@code all}, {@code exists}, {@code map} and others come to. The result
   * so far may be an error that a later step absorbs.
   *
   * @param element slot of the element
   * @param soFar slot of the result so far
   */
  static Node fold(
      Node range, Node first, Node goesOn, Node step, Node result, int element, int soFar) {
    return frame -> {
      Iterable<?> elements = elements(frame, range.value(frame));
      frame.local(soFar, first.value(frame));
      for (Object one : elements) {
        frame.charge(1);
        frame.local(element, one);
        if (!Operators.bool(goesOn.value(frame))) {
          break;
        }
        Object next;
        try {
          next = step.value(frame);
        } catch (EvaluationException e) {
          next = absorbed(frame, e);
        }
        frame.local(soFar, next);
      }
      return result.value(frame);
    };
  }

  private static Iterable<?> elements(Frame frame, Object range) {
    return switch (range) {
      case List<?> list -> list;
      case Variable variable -> frame.map(variable).keySet();
      default -> throw EvaluationException.of("neither a list nor a map");
    };
  }

  /** What a loop has put into a slot. */
  static Node local(int slot) {
    return frame -> {
      frame.charge(1);
      Object value = frame.local(slot);
      if (value instanceof EvaluationException failure) {
        throw failure;
      }
      return value;
    };
  }

  private static EvaluationException absorbed(Frame frame, EvaluationException failure) {
    if (failure.isLimit()) {
      throw failure;
    }
    // Exceptions are far dearer than values.
    frame.charge(FAILURE_STEPS);
    return failure;
  }
}
