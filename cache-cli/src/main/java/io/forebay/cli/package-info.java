/** cli. */
@NullMarked
package io.forebay.cli;

import org.jspecify.annotations.NullMarked;
