/**
 * The packaged jar as its users run it: a child process, real origins and clients around it,
 * nothing shared with it but sockets, signals and files.
 */
@NullMarked
package io.forebay.e2e;

import org.jspecify.annotations.NullMarked;
