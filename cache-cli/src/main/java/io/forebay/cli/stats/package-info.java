/** {@code forebay stats}: figures of a running node, once or as a screen that refreshes. */
@NullMarked
package io.forebay.cli.stats;

import org.jspecify.annotations.NullMarked;
