"""Compression of Forebay beside Caddy and nginx, with nothing but Python's standard library.

  main      options, rounds, tables
  corpus    files of npm packages, fetched once into a cache outside of the tree
  codings   decoders of br, zstd and gzip by the libraries of the system
  servers   the origin, Forebay, Caddy and nginx
  measure   misses and hits: bytes, CPU, first byte
  verify    every byte after decoding, over ranges, revalidations, purges and restarts

Programs and machine are those of sidebyside.
"""
