/** {@code forebay reload}. */
@NullMarked
package io.forebay.cli.reload;

import org.jspecify.annotations.NullMarked;
