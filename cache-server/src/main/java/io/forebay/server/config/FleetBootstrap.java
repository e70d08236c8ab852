package io.forebay.server.config;

import java.nio.file.Path;

/**
 * What a node knows of itself before it has the document of its fleet.
 *
 * @param node its name
 * @param data its data directory
 */
public record FleetBootstrap(ClusterConfig cluster, String node, Path data) {}
