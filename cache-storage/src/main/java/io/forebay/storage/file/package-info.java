/** How files are opened so that nobody else on the machine can read, replace or redirect them. */
@NullMarked
package io.forebay.storage.file;

import org.jspecify.annotations.NullMarked;
