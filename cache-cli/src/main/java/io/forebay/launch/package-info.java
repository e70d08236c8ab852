/** The jar's main class alone, compiled for an old Java so that it can say which one is needed. */
@NullMarked
package io.forebay.launch;

import org.jspecify.annotations.NullMarked;
