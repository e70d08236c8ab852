/** Tests of what the client reads and reckons. */
@NullMarked
package io.forebay.lab.load.client;

import org.jspecify.annotations.NullMarked;
