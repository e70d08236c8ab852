package io.forebay.server.origin.dns;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a machine keeps what it knows of names.
 *
 * @param hosts the hosts file
 * @param servers the file that lists the name servers
 * @param server asked instead of those in {@code servers}, when not null
 */
public record NamePlaces(Path hosts, Path servers, @Nullable InetSocketAddress server) {
  /** Those of this machine. */
  public static final NamePlaces SYSTEM =
      new NamePlaces(Path.of("/etc/hosts"), Path.of("/etc/resolv.conf"), null);
}
