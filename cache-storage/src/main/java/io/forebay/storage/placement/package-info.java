/**
 * Storage classes: in which tiers the records of a class may lie and how much of memory and of
 * disks they may take. Start at {@code StorageClass}; {@code StorageClasses} has those in force, by
 * the numbers that records carry.
 */
@NullMarked
package io.forebay.storage.placement;

import org.jspecify.annotations.NullMarked;
