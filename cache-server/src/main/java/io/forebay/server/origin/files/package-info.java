/**
 * Files below a directory as an origin: requests are answered by the contract of {@link
 * io.forebay.server.origin.call}, without a server.
 *
 * <pre>
 *   loop: {@link FileCall} ──wanted──► threads of {@link FileReaders} ──► {@link ServedDirectory}
 *            ▲                                │ open, stat, read             │ {@link FileCalls}
 *            └── head, slice by slice, end ◄──┘                              ▼ openat2, statx, pread
 * </pre>
 *
 * <p>A loop neither opens nor reads a file. A call has at most one task with the threads, and holds
 * one of the places of its origin ({@link OpenFiles}) while its file is open.
 */
@NullMarked
package io.forebay.server.origin.files;

import org.jspecify.annotations.NullMarked;
