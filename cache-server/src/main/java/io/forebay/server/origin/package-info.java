/** Package origin: the pooled client towards origins, one per loop. */
@NullMarked
package io.forebay.server.origin;

import org.jspecify.annotations.NullMarked;
