/** {@code forebay warm}: reads URL lists, runs a job on the node and shows its progress. */
@NullMarked
package io.forebay.cli.warm;

import org.jspecify.annotations.NullMarked;
