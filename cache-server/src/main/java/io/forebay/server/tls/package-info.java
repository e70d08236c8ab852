/**
 * TLS for client connections: certificates in use and their reload, selection by ClientHello,
 * session tickets, stapled OCSP responses, and client certificates.
 */
@NullMarked
package io.forebay.server.tls;

import org.jspecify.annotations.NullMarked;
