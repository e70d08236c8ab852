package io.forebay.core.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Immutable header fields with lower-case names, in order; used for responses and in tests. */
public final class HeaderFields implements FieldsView {

  /** No fields at all. */
  public static final HeaderFields EMPTY = new HeaderFields(new String[0]);

  /** Name, value, name, value, … */
  private final String[] pairs;

  private HeaderFields(String[] pairs) {
    this.pairs = pairs;
  }

  /**
   * Fields from name, value, name, value, …
   *
   * @throws IllegalArgumentException when the count is odd
   */
  public static HeaderFields of(String... namesAndValues) {
    if (namesAndValues.length % 2 != 0) {
      throw new IllegalArgumentException("odd count " + namesAndValues.length);
    }
    Builder builder = new Builder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      builder.add(namesAndValues[i], namesAndValues[i + 1]);
    }
    return builder.build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Number of field lines. */
  public int size() {
    return pairs.length / 2;
  }

  /** Lower-case name of field line {@code index}. */
  public String name(int index) {
    return pairs[2 * index];
  }

  public String value(int index) {
    return pairs[2 * index + 1];
  }

  @Override
  public @Nullable String first(String lowerCaseName) {
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i].equals(lowerCaseName)) {
        return pairs[i + 1];
      }
    }
    return null;
  }

  @Override
  public List<String> all(String lowerCaseName) {
    List<String> values = List.of();
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i].equals(lowerCaseName)) {
        if (values.isEmpty()) {
          values = new ArrayList<>(1);
        }
        values.add(pairs[i + 1]);
      }
    }
    return values;
  }

  @Override
  public void forEach(BiConsumer<? super CharSequence, ? super CharSequence> visitor) {
    for (int i = 0; i < pairs.length; i += 2) {
      visitor.accept(pairs[i], pairs[i + 1]);
    }
  }

  /** The same fields but for those whose lower-case name the predicate picks. */
  public HeaderFields without(Predicate<String> lowerCaseName) {
    Builder builder = new Builder();
    for (int i = 0; i < pairs.length; i += 2) {
      if (!lowerCaseName.test(pairs[i])) {
        builder.add(pairs[i], pairs[i + 1]);
      }
    }
    return builder.build();
  }

  /** These fields, and others behind them. */
  public HeaderFields and(HeaderFields others) {
    if (others.pairs.length == 0) {
      return this;
    }
    Builder builder = new Builder();
    forEach(builder::add);
    others.forEach(builder::add);
    return builder.build();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < pairs.length; i += 2) {
      text.append(pairs[i]).append(": ").append(pairs[i + 1]).append('\n');
    }
    return text.toString();
  }

  /** Collects field lines; names are brought to lower case. Not thread-safe. */
  public static final class Builder {
    private final List<String> pairs = new ArrayList<>(24);

    private Builder() {}

    public Builder add(CharSequence name, CharSequence value) {
      pairs.add(FieldName.lowerCase(name));
      pairs.add(value.toString());
      return this;
    }

    public HeaderFields build() {
      return pairs.isEmpty() ? EMPTY : new HeaderFields(pairs.toArray(new String[0]));
    }
  }
}
