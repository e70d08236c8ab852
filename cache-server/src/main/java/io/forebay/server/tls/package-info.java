/**
 * TLS towards clients: the certificates in force and how they change, what a ClientHello is
 * answered with, session tickets, stapled OCSP answers, and clients' certificates.
 */
@NullMarked
package io.forebay.server.tls;

import org.jspecify.annotations.NullMarked;
