/** Channels and costs, by the formulas of the published tests. */
@NullMarked
package io.forebay.lab.model;

import org.jspecify.annotations.NullMarked;
