package io.forebay.cli.importer.vcl;

import java.util.List;

/** An expression of VCL. */
sealed interface VclExpression {

  /** A text between quotes. */
  record Text(String value) implements VclExpression {}

  /** A number, with its unit if it has one. */
  record Amount(String value) implements VclExpression {}

  /** A variable, or the name of something. */
  record Name(String name) implements VclExpression {}

  /** A function, or a method of an object. */
  record Call(String name, List<VclExpression> arguments) implements VclExpression {

    VclExpression argument(int number) {
      return number < arguments.size() ? arguments.get(number) : new Text("");
    }
  }

  /** What is not. */
  record Not(VclExpression inner) implements VclExpression {}

  /**
   * Two expressions and what is between them; {@code +} also where texts only follow one another.
   */
  record Binary(String operator, VclExpression left, VclExpression right)
      implements VclExpression {}

  /** Whether it is a variable of that name; names of fields have no case. */
  default boolean isName(String name) {
    return this instanceof Name own && own.name().equalsIgnoreCase(name);
  }
}
