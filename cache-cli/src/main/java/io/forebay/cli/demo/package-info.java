/** Package demo: a live channel behind one edge on this machine, with verified steps. */
@NullMarked
package io.forebay.cli.demo;

import org.jspecify.annotations.NullMarked;
