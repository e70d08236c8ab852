/**
 * Runs a plugin without a node, in JUnit or in a main method: with the checks that a node makes,
 * and requests and responses made by hand.
 *
 * <p>Start at {@link io.forebay.plugin.test.PluginTester}.
 */
@NullMarked
package io.forebay.plugin.test;

import org.jspecify.annotations.NullMarked;
