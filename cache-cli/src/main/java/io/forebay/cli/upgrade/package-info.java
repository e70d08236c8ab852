/** {@code forebay upgrade}: replaces the process that serves by a new one. */
@NullMarked
package io.forebay.cli.upgrade;

import org.jspecify.annotations.NullMarked;
