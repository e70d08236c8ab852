/**
 * The request ring: one record for each finished request, in a file on a tmpfs that other processes
 * read while the node runs, and after it died.
 *
 * <pre>
 *  event loop ─▶ RecordEncoder ─▶ RingWriter ─▶ requests-N.ring ◀─ RingReader ◀─ forebay log, top,
 *  (one each)    bytes, no        one writer    mapped, 0600       any number    hist
 *                allocation
 * </pre>
 *
 * <p>A file, version 1. All numbers are little-endian.
 *
 * <pre>
 *     0  magic "FBRING01"             8
 *     8  version                      4
 *    12  number of the loop           4
 *    16  bytes of the data area       8    a multiple of 8
 *    24  process id of the writer     8
 *    32  start, ms since 1970         8
 *    40  orderly stop, ms since 1970  8    0: running, or killed
 *   128  tail: end of the last whole record          8    written by the loop, on a cache line of
 *   192  head: begin of the oldest whole record      8    its own each
 *  4096  data area
 * </pre>
 *
 * <p>Positions only grow. Position {@code p} lies at {@code 4096 + p % size}. A record is
 * contiguous and begins at a multiple of 8; a record that does not fit before the end of the area
 * begins at its start, and padding fills the rest.
 *
 * <pre>
 *     0  length of the record, a multiple of 8       4    at most 2048
 *     4  kind: 1 request, 2 padding                  4    padding ends here
 *     8  sequence, from 0, without gaps              8
 *    16  first byte of the request, ms since 1970    8
 *    24  duration, ns                                8
 *    32  until the first byte of the response, ns    8    -1: none was sent
 *    40  until the origin's answer was read, ns      8    -1: no fetch of its own
 *    48  bytes of the body                           8
 *    56  fetch that the request led or joined        8    0: none
 *    64  status                                      2
 *    66  cache result                                1
 *    67  flags: 1 some text was cut                  1
 *    68  length of the texts                         4
 *    72  texts: each tag 1, length 2, bytes; a tag that a reader does not know is skipped
 * </pre>
 *
 * <p><b>No torn record is shown.</b> The writer raises {@code head} past every record that the next
 * one overwrites, then a store-store fence, then writes the bytes, then stores {@code tail} with
 * release. A reader loads {@code tail} with acquire, copies the bytes of a record below it, then a
 * load-load fence, then loads {@code head}. If any copied byte is of a later record, the raised
 * head was stored before that byte, so the reader sees it and drops the copy. Sequences tell how
 * many records it lost. The loop never waits, and readers write nothing. After {@code kill -9} the
 * stores of the dead process are in the page cache; a record that it was writing lies behind {@code
 * tail}.
 *
 * <p>Start at {@link io.forebay.server.ring.RingFiles}.
 */
@NullMarked
package io.forebay.server.ring;

import org.jspecify.annotations.NullMarked;
