@NullMarked
package io.forebay.server.origin.group;

import org.jspecify.annotations.NullMarked;
