package io.forebay.plugin;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A group of requests with stored responses of its own.
 *
 * @param name 1 to 32 lower-case letters, digits and {@code -}
 * @param origin the origin that requests of the group go to, by its name in the configuration;
 *     empty for that of the route
 */
public record Group(String name, Optional<String> origin) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}");

  public Group {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a group's name has 1 to 32 lower-case letters, digits and -, not \"" + name + "\"");
    }
  }

  /** Its requests go to the origin of the route. */
  public static Group of(String name) {
    return new Group(name, Optional.empty());
  }

  /** The same whose requests go to another origin. */
  public Group to(String otherOrigin) {
    return new Group(name, Optional.of(otherOrigin));
  }
}
