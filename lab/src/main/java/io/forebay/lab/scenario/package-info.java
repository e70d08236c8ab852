/**
 * Scenarios as YAML in the words of the published tests, and the profiles that fit them to a
 * machine.
 *
 * <pre>
 *   NAME.yaml ──► Scenarios ──► a tree ──► Profiles: the profile's keys over it
 *                                                 │
 *                 Scenario ◄── ScenarioBinder ◄───┘  each step's keys over it, bound strictly,
 *                    │                               memory, footprint and times divided
 *                    └─ Step …  = Setup (what is started) + Load (what is asked) + Search
 * </pre>
 *
 * <p>Lists of {@code connections}, {@code rate} and {@code loops} become one step for each entry.
 */
@NullMarked
package io.forebay.lab.scenario;

import org.jspecify.annotations.NullMarked;
