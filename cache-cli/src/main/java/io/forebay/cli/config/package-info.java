/**
 * {@code forebay config}: checks and shows configurations; also the configuration options that
 * several commands share.
 */
@NullMarked
package io.forebay.cli.config;

import org.jspecify.annotations.NullMarked;
