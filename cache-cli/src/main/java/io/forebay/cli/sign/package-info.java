/** {@code forebay sign-url}: signs URLs for routes whose protection asks for a token. */
@NullMarked
package io.forebay.cli.sign;

import org.jspecify.annotations.NullMarked;
