/** Ownership of the directories and the rebuild after an unclean stop. */
@NullMarked
package io.forebay.storage.recover;

import org.jspecify.annotations.NullMarked;
