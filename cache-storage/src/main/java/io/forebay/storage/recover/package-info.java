/** The rebuild of the index after an unclean stop, and memory tiers without an owner. */
@NullMarked
package io.forebay.storage.recover;

import org.jspecify.annotations.NullMarked;
