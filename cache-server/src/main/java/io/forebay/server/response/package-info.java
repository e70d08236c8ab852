/**
 * Response heads: which parts of a body a response has, and the header lines that go out.
 *
 * <p>Start at {@link ResponsePlan}; {@link HeadLines} writes.
 */
@NullMarked
package io.forebay.server.response;

import org.jspecify.annotations.NullMarked;
