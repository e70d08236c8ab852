/**
 * Tests of the packaged jar as its users run it: a child process with real origins and clients,
 * which shares only sockets, signals and files with the test.
 */
@NullMarked
package io.forebay.e2e;

import org.jspecify.annotations.NullMarked;
