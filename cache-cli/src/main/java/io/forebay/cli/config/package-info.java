/**
 * {@code forebay config}: checks and shows configurations; options that every command with one
 * shares.
 */
@NullMarked
package io.forebay.cli.config;

import org.jspecify.annotations.NullMarked;
