package io.forebay.server.config;

import java.nio.file.Path;

/** What stands in for the surroundings of a node while its configuration is rehearsed. */
public interface StandIns {

  /**
   * Address from which the rehearsal connects to listeners with the PROXY protocol, which are all
   * but those that redirect to https. The node trusts it to name the client, and nobody else
   * connects from it.
   */
  String PEER = "127.193.7.11";

  /** An empty directory for journal, identity and lock. */
  Path data();

  /** An empty directory for the memory tier. */
  Path memory();

  /** The file of the access log. */
  Path accessLog();

  /** PEM file of the certificate of all TLS listeners; asked for only where there is one. */
  Path certificate();

  /** PEM file of its key. */
  Path key();

  /**
   * Port on 127.0.0.1 of what stands in for a server of an origin; the same for the same server.
   *
   * @param server from 1
   */
  int port(String origin, int server);
}
