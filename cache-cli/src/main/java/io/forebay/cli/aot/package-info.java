/** Package aot: the training run for the AOT cache. */
@NullMarked
package io.forebay.cli.aot;

import org.jspecify.annotations.NullMarked;
