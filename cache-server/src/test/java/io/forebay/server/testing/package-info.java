/** Package testing: what tests of several packages share: scripted peers and certificates. */
@NullMarked
package io.forebay.server.testing;

import org.jspecify.annotations.NullMarked;
