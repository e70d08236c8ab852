/** {@code forebay stats}: figures of a running node, once or continuously. */
@NullMarked
package io.forebay.cli.stats;

import org.jspecify.annotations.NullMarked;
