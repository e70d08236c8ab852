package io.forebay.plugin;

import java.util.List;
import java.util.Optional;

/** Header fields of a message. Names are looked for without regard to case. */
public interface Fields {

  /** The values of all lines of that name, in order. */
  List<String> all(String name);

  /** The value of the first line of that name. */
  default Optional<String> first(String name) {
    return all(name).stream().findFirst();
  }

  /** Whether there is a line of that name. */
  default boolean has(String name) {
    return !all(name).isEmpty();
  }
}
