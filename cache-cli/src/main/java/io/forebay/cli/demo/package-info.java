/** Package demo: a live channel behind one edge on this machine, walked through and checked. */
@NullMarked
package io.forebay.cli.demo;

import org.jspecify.annotations.NullMarked;
