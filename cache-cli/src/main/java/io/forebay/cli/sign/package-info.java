/**
 * {@code forebay sign-url} and {@code debug-token}: sign URLs for routes whose protection asks for
 * a token, and tokens of clients that debug.
 */
@NullMarked
package io.forebay.cli.sign;

import org.jspecify.annotations.NullMarked;
