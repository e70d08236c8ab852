/**
 * Which endpoint of an origin gets a request. Everything is confined to one event loop.
 *
 * <pre>
 *   origin ──► candidates (the endpoints that may be used now) ──► BalancePolicy ──► one of them
 *                  weight, requests, latency                        PeakEwma (the default)
 *                                                                   RoundRobin, RandomChoice
 *                                                                   LeastRequests, Consistent
 * </pre>
 *
 * <p>Start at {@link BalancePolicy}, which has one method; a {@link Candidate} is what a policy
 * knows of an endpoint. This package knows nothing of connections, names or requests.
 */
@NullMarked
package io.forebay.server.origin.balance;

import org.jspecify.annotations.NullMarked;
