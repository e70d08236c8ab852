/**
 * Fills: fetches of a response into the store on behalf of all waiting requests.
 *
 * <pre>
 *   Exchange ─▶ FillTable (one fill for each key)
 *                  │ none under way                     │ under way
 *                  ▼                                    ▼
 *   FillLeader ─▶ FillRequest ─▶ OriginClient      Follower joins
 *                  │ onHead        HeadVerdict: store, stream, pass, retry
 *                  │ onBody        FillWriter ─▶ store    ─▶ FillBody ─▶ followers read to the watermark
 *                  │ onEnd         install                ─▶ followers finish
 *                  └ onFailure     FillOutcomeRecorder    ─▶ stale, error or retry
 * </pre>
 *
 * <p>Start at {@link Fill}; {@link FillContext} is what the fills of one loop use. A fill lives on
 * the loop of its leader; followers on other loops are told by tasks.
 */
@NullMarked
package io.forebay.server.fill;

import org.jspecify.annotations.NullMarked;
