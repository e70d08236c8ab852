/**
 * Purges: conversion of orders into scopes, and purge requests on the listeners.
 *
 * <pre>
 *   PURGE request ─▶ PurgeRequestReader ─▶ PurgeOrder ─▶ PurgeQueue ─▶ PurgeScopes, PurgePredicate
 *   POST /v1/purge ─────────────────────▶ PurgeOrder ───────────────▶ PurgeScopes, PurgePredicate
 * </pre>
 *
 * <p>Start at {@link PurgeOrder}.
 */
@NullMarked
package io.forebay.server.purge;

import org.jspecify.annotations.NullMarked;
