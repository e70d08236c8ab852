package io.forebay.plugin;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Name of a plugin, and what it was compiled against. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface PluginInfo {

  /** The name by which configurations call it: lower-case letters, digits and {@code -}. */
  String name();

  /** Write {@link Plugin#API_VERSION}; the compiler copies its value. */
  int api();
}
