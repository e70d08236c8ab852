/**
 * Package demo: verified steps on this machine, of a live channel behind one edge ({@link
 * io.forebay.cli.demo.DemoScenario}) or of a cluster of five edges and a shield ({@link
 * io.forebay.cli.demo.ClusterScenario}).
 */
@NullMarked
package io.forebay.cli.demo;

import org.jspecify.annotations.NullMarked;
