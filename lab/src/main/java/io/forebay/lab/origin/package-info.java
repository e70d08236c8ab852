/**
 * An origin without files: every URL is a body of the size that stands in it, made from a seed.
 *
 * <pre>
 *   /o/BYTES/NAME                                        a body of BYTES
 *   /CHANNEL/variantNN/TYPE/SIZEKB/SEGMENT               AT&amp;T's ladder; live: from its time on
 * </pre>
 */
@NullMarked
package io.forebay.lab.origin;

import org.jspecify.annotations.NullMarked;
