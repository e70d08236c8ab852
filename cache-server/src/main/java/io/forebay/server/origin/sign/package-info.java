/**
 * What a request to an origin gets just before it is written on a connection, so that each attempt
 * has a signature and a time of its own.
 *
 * <pre>
 *   SignableRequest ──► OriginSigner ──► StaticFields    fields of the configuration
 *                                   ├──► S3Signer        AWS Signature Version 4, by AwsSignature
 *                                   └──► MessageSigner   HTTP Message Signatures, HMAC-SHA256
 *   403 of an origin ──► RefusalNotes ──► log, explain
 * </pre>
 *
 * <p>Start at {@link OriginSigner}. Signing is computation only, and runs on the event loops; of an
 * origin without it there is no signer. What is signed or set is kept out of logs and of everything
 * that is shown.
 */
@NullMarked
package io.forebay.server.origin.sign;

import org.jspecify.annotations.NullMarked;
