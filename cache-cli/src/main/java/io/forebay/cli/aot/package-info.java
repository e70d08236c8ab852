/** Package aot: what an edge is asked for while its JVM takes notes for the AOT cache. */
@NullMarked
package io.forebay.cli.aot;

import org.jspecify.annotations.NullMarked;
