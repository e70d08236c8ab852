"""A side-by-side run of caching proxies on one machine, with nothing but Python's standard library.

Each server in turn is pinned to one CPU with all its threads and children; the origin and the load are
pinned to another. What is compared is the CPU time that the server's whole process tree spends on a
request, since a load generator with one CPU is often the first to be busy.

  main      options, and the order in which things are run
  machine   what a run needs of the machine
  process   programs that are started, measured and stopped
  site      what is asked for: loads, objects, heads of requests, the origin's files
  servers   the origin, the peers, the floor and Forebay, each with its configuration
  load      wrk, h2load and the open-loop client, and what they say
  flames    flame graphs of JVMs while they are loaded
  model     what a run says of larger machines
  report    lines while it runs, tables and JSON at the end
"""
