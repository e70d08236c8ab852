/**
 * Warm-up jobs: URLs, playlists, manifests and sitemaps are requested through the node itself.
 *
 * <p>Start at {@link WarmJobs}; {@link LoopbackClient} sends the requests.
 */
@NullMarked
package io.forebay.server.warm;

import org.jspecify.annotations.NullMarked;
