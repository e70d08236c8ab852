/** What purges by pattern ask of stored objects. */
@NullMarked
package io.forebay.server.purge;

import org.jspecify.annotations.NullMarked;
