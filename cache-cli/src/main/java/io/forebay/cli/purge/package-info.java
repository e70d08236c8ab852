/** {@code forebay purge}. */
@NullMarked
package io.forebay.cli.purge;

import org.jspecify.annotations.NullMarked;
