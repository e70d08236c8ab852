@NullMarked
package io.forebay.server.origin.limit;

import org.jspecify.annotations.NullMarked;
