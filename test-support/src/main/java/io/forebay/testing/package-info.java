/**
 * What tests of several modules and the benchmarks share. One class of each kind:
 *
 * <pre>
 * origins       {@link ScriptedOrigin}, byte for byte, a script for each connection; {@link PathOrigin},
 *               a script for each path
 * clients       {@link RawClient} (HTTP/1.1, byte for byte), {@link RawHttp2} (HTTP/2, frame by frame),
 *               {@link Http2Client}, {@link Http3Client}, {@link OpensslClient} (TLS of openssl)
 * processes     {@link EdgeProcess}, an edge from the packaged jar, and its {@link Metrics}; {@link Jar},
 *               the jar's other commands; {@link Commands}, any program; {@link S3Gateway}, an S3 server
 * certificates  {@link Certificates}, an authority and the PEM files of what it issues
 * machine       {@link Ports}, {@link Directories}, {@link FileTree}, {@link PooledBuffers}
 * waiting       {@link Await}
 * </pre>
 *
 * The package depends on nothing of Forebay and on no test framework: failures are {@link
 * AssertionError}s. A whole node in the test's process is {@code io.forebay.server.Edge} among the
 * tests of cache-server, as it needs the classes of that module.
 */
@NullMarked
package io.forebay.testing;

import org.jspecify.annotations.NullMarked;
