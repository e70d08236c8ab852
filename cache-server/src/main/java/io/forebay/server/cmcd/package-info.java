/**
 * What players tell of themselves with a request: CMCD (CTA-5004), versions 1 and 2.
 *
 * <pre>
 *   CMCD-Object, CMCD-Request,    ┐
 *   CMCD-Session, CMCD-Status     ├─▶ Cmcd ─┬─▶ counters of the route
 *   else the parameter CMCD       ┘         ├─▶ the object "cmcd" of the access log
 *                                           └─▶ the next objects (nor), for prefetch
 * </pre>
 *
 * <p>Start at {@link Cmcd}. It reads only where a {@link CmcdSettings} says so, within bounds, and
 * allocates nothing, so that hits stay in the fast lane. Nothing that a player says decides which
 * response it gets.
 */
@NullMarked
package io.forebay.server.cmcd;

import org.jspecify.annotations.NullMarked;
