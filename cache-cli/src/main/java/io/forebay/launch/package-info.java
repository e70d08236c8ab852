/**
 * The jar's main class alone, compiled for an old Java so that it can name the required version.
 */
@NullMarked
package io.forebay.launch;

import org.jspecify.annotations.NullMarked;
