/**
 * The bytes of every path, from a seed: the origin sends them without computing, a client compares
 * them without asking. Start at {@link io.forebay.lab.body.Body}.
 *
 * <pre>
 *   SHA-256( seed, 8 bytes, big-endian | path in UTF-8 )
 *     ├─ bytes 0 to 15 ──► the first 16 bytes of the body, different for each path
 *     └─ bytes 16 to 23 ─► modulo 4,194,301 ──► start
 *
 *   body     [ 16 bytes of the hash | table[start + 16] table[start + 17] … ]
 *   table        ┌──────────────────────▼─────────────────────────────┐
 *                │ 4,194,301 random bytes, the same for all paths     │──┐
 *                └────────────────────────────────────────────────────┘  │
 *                ▲───────────────── goes on at the front ────────────────┘
 * </pre>
 *
 * <p>Byte {@code i} is {@code table[(start + i) % 4,194,301]} from the 17th byte on. The length of
 * the table is a prime, so a slice of a body never looks like the next one, whatever its size. Two
 * paths with one start (one pair in four million) differ in the first 16 bytes only.
 */
@NullMarked
package io.forebay.lab.body;

import org.jspecify.annotations.NullMarked;
