/**
 * Response heads: which parts of a body a response has, and the header lines that go out.
 *
 * <pre>
 *   request, stored head ─▶ ResponsePlan ─▶ HeadWriter ─▶ ResponseSink
 *                                              ▲
 *                 HeadLines, NotModifiedLines, PartLines
 * </pre>
 *
 * <p>Start at {@link ResponsePlan}; {@link HeadWriter} writes every head, in one order.
 */
@NullMarked
package io.forebay.server.response;

import org.jspecify.annotations.NullMarked;
