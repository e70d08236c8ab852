/**
 * An origin without files: every URL is a body of the size that stands in it, made from a seed
 * ({@link io.forebay.lab.body}). Start at {@link io.forebay.lab.origin.OriginServer}; {@link
 * io.forebay.lab.origin.OriginProcess} runs it as a process of its own.
 *
 * <pre>
 *   /o/BYTES/NAME                             a body of BYTES: 1500, 100KB (100,000), 2MB
 *   /CHANNEL/variantNN/TYPE/SIZEKB/SEGMENT    AT&amp;T's ladder; live: from its time on
 *   /CHANNEL/index.m3u8, …/SIZEKB/index.m3u8  playlists of HLS
 *   /CHANNEL/manifest.mpd                     playlist of DASH
 *   /_stats                                   requests, bytes, CPU of the origin itself
 *   /ANY/PREFIX before the first four         other bodies of the same sizes
 *
 *   request ──► Replies ──► Reply ──► OriginConnection ──► BodySender ──► socket
 *                 │ Resource, ByteRange   in order,          a turn at a time,
 *                 │ Behaviour + query     latency            bandwidth
 *                 └ SegmentWindow, clock
 * </pre>
 *
 * <p>It is a tool for one laboratory: it has no bound on connections and closes none that is idle.
 */
@NullMarked
package io.forebay.lab.origin;

import org.jspecify.annotations.NullMarked;
