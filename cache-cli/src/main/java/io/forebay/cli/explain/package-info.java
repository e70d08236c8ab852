/** {@code forebay explain}: why a request is a hit or a miss. */
@NullMarked
package io.forebay.cli.explain;

import org.jspecify.annotations.NullMarked;
