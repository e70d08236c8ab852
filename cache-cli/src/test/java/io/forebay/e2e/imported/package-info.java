/**
 * Configurations of other servers beside what an import makes of them.
 *
 * <pre>
 *   a file of a package ──► substitutions ──┬─► its own program ─► answers ─┐
 *    (RealFiles)            (Loopback,      │                               ├─► differences that no line of
 *                            NginxSite …)   └─► import ─► node ──► answers ─┘   the report names: a failure
 *                                                                 (RequestTable)
 * </pre>
 *
 * <p>Start at {@link io.forebay.e2e.imported.RealFilesIT}.
 */
@NullMarked
package io.forebay.e2e.imported;

import org.jspecify.annotations.NullMarked;
