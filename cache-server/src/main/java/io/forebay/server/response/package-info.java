/**
 * Response heads: the selected parts of a body, and the header lines.
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
