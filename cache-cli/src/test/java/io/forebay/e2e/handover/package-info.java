/** Hand-overs of a node to a new process, under load and with processes that are killed. */
@NullMarked
package io.forebay.e2e.handover;

import org.jspecify.annotations.NullMarked;
