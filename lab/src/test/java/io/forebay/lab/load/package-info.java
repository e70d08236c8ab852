/** Tests of load: the client over real sockets, and what other programs say. */
@NullMarked
package io.forebay.lab.load;

import org.jspecify.annotations.NullMarked;
