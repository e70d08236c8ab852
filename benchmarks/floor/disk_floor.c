/*
 * The floor of hits from disk: what any server has to do that verifies what it reads before it sends it.
 * One thread with epoll reads a slice of 1 MiB into a buffer, computes its CRC32C, compares it, and writes
 * head and slice to the socket. It has no cache in memory, no rules and no log.
 *
 *   cc -O2 -Wall -Wextra -o disk-floor disk_floor.c      (-DHUGE_PAGES: buffers in pages of 2 MiB)
 *   disk-floor PORT WORKERS DATA buffered|direct NAME=COUNT=FILE ...
 *
 * At start it writes COUNT objects with the bytes of FILE, in which %d stands for the number of the object, to
 * the file DATA and keeps one checksum a slice. "GET /NAME/I" reads object I from DATA, through the page cache
 * or with O_DIRECT. Reads block the thread: waiting takes no CPU, so the CPU time of a request stays a lower
 * bound, but throughput and latency are one only where the page cache holds DATA. It listens on loopback only
 * and ends with its parent.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LOADS = 32, EVENTS = 256, IN_BYTES = 32 * 1024, SLICE_BYTES = 1024 * 1024, PAGE_BYTES = 4096, BUFFERS = 16 };

struct load {
  char name[32];
  size_t name_length;
  long count;
  off_t size, stored_size; /* without and with the padding to whole pages */
  off_t start;             /* of the first object in DATA */
  long slices;             /* of one object */
  uint32_t *checksums;     /* one a slice, object after object */
  char head[512];
  size_t head_length;
};

/* A response is sent slice by slice; at most one buffer is held, and none while nothing is being sent. */
struct connection {
  int fd;
  uint32_t events; /* what epoll waits for */
  int is_waiting;  /* for a buffer */
  int is_over;     /* close once all is written */
  struct connection *next_waiting;
  size_t filled;
  const struct load *load; /* of the response, NULL between two */
  long number, slice;      /* the object, and its next slice */
  char *buffer;
  struct iovec out[2];
  int first, count;
  char in[IN_BYTES];
};

static struct load loads[LOADS];
static int load_count, data_file, is_direct, poll_fd;
static char *spare[BUFFERS]; /* the last one released is taken first: its lines may still be in a cache */
static int spare_count;
static struct connection *waiting, **waiting_end = &waiting;
static const char NOT_FOUND[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/* CRC32C. The instruction takes three cycles but one can begin in each, so three streams go side by side. */

enum { STREAM_BYTES = 4096 };
static const uint32_t POLYNOMIAL = 0x82f63b78;
static uint32_t byte_table[256];
static uint32_t shift_table[4][256]; /* a checksum after STREAM_BYTES zeros, by its four bytes */
static uint32_t (*checksum)(const char *bytes, size_t length);

static uint32_t by_table(uint32_t crc, const char *bytes, size_t length) {
  while (length--) crc = byte_table[(crc ^ (unsigned char)*bytes++) & 255] ^ crc >> 8;
  return crc;
}

static uint32_t checksum_by_table(const char *bytes, size_t length) {
  return ~by_table(~0u, bytes, length);
}

#ifdef __x86_64__

static uint32_t shifted(uint32_t crc) {
  return shift_table[0][crc & 255] ^ shift_table[1][crc >> 8 & 255] ^ shift_table[2][crc >> 16 & 255]
         ^ shift_table[3][crc >> 24];
}

__attribute__((target("sse4.2"))) static uint32_t checksum_by_instruction(const char *bytes, size_t length) {
  uint64_t a = ~0u;
  for (; length >= 3 * STREAM_BYTES; bytes += 3 * STREAM_BYTES, length -= 3 * STREAM_BYTES) {
    const uint64_t *p = (const uint64_t *)bytes, *q = p + STREAM_BYTES / 8, *r = q + STREAM_BYTES / 8;
    uint64_t b = 0, c = 0;
    for (int i = 0; i < STREAM_BYTES / 8; i++) {
      a = __builtin_ia32_crc32di(a, p[i]);
      b = __builtin_ia32_crc32di(b, q[i]);
      c = __builtin_ia32_crc32di(c, r[i]);
    }
    a = shifted(shifted(a) ^ b) ^ c;
  }
  for (; length >= 8; bytes += 8, length -= 8) a = __builtin_ia32_crc32di(a, *(const uint64_t *)bytes);
  while (length--) a = __builtin_ia32_crc32qi(a, *bytes++);
  return ~a;
}

#endif

static void prepare_checksums(void) {
  static const char zeros[STREAM_BYTES];
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    byte_table[i] = crc;
  }
  for (int place = 0; place < 4; place++)
    for (uint32_t i = 0; i < 256; i++) shift_table[place][i] = by_table(i << 8 * place, zeros, STREAM_BYTES);
  checksum = checksum_by_table;
#ifdef __x86_64__
  if (__builtin_cpu_supports("sse4.2")) checksum = checksum_by_instruction;
  for (size_t length = 0; length < SLICE_BYTES; length = length * 3 + 1)
    if (checksum(spare[0], length) != checksum_by_table(spare[0], length)) errx(1, "checksums differ at %zu", length);
#endif
  if (checksum_by_table("123456789", 9) != 0xe3069283) errx(1, "this is no CRC32C");
}

/* The data file. */

static size_t slice_length(const struct load *load, long slice) {
  off_t left = load->size - (off_t)slice * SLICE_BYTES;
  return left < SLICE_BYTES ? left : SLICE_BYTES;
}

static size_t padded(size_t length) {
  return (length + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static void read_object(const char *pattern, long number, char *into, off_t size) {
  char path[4096];
  const char *place = strstr(pattern, "%d");
  if (place)
    snprintf(path, sizeof path, "%.*s%ld%s", (int)(place - pattern), pattern, number, place + 2);
  else
    snprintf(path, sizeof path, "%s", pattern);
  int file = open(path, O_RDONLY);
  if (file < 0) err(1, "%s", path);
  for (off_t at = 0; at < size;) {
    ssize_t got = read(file, into + at, size - at);
    if (got <= 0) err(1, "%s", path);
    at += got;
  }
  close(file);
}

static void store(const struct load *load, long number, const char *object) {
  for (long slice = 0; slice < load->slices; slice++)
    load->checksums[number * load->slices + slice] =
        checksum(object + (off_t)slice * SLICE_BYTES, slice_length(load, slice));
  off_t start = load->start + number * load->stored_size;
  for (off_t at = 0; at < load->stored_size;) {
    ssize_t written = pwrite(data_file, object + at, load->stored_size - at, start + at);
    if (written <= 0) err(1, "object %ld of %s", number, load->name);
    at += written;
  }
}

static off_t add_load(char *text, off_t start) {
  char *count = strchr(text, '='), *pattern = count ? strchr(count + 1, '=') : NULL;
  if (!pattern || load_count == LOADS) errx(2, "%s is not NAME=COUNT=FILE", text);
  struct load *load = &loads[load_count++];
  load->name_length = snprintf(load->name, sizeof load->name, "%.*s/", (int)(count - text), text);
  load->count = atol(count + 1);
  struct stat first;
  char path[4096];
  const char *place = strstr(++pattern, "%d");
  snprintf(path, sizeof path, "%.*s%s%s", (int)(place ? place - pattern : (long)strlen(pattern)), pattern,
           place ? "0" : "", place ? place + 2 : "");
  if (stat(path, &first)) err(1, "%s", path);
  if (!first.st_size) errx(1, "%s is empty", path);
  load->size = first.st_size;
  load->stored_size = padded(first.st_size);
  load->start = start;
  load->slices = (load->size + SLICE_BYTES - 1) / SLICE_BYTES;
  load->checksums = calloc(load->count * load->slices, sizeof *load->checksums);
  char *object = calloc(1, load->stored_size);
  for (long i = 0; i < load->count; i++) {
    if (!i || place) read_object(pattern, i, object, load->size);
    store(load, i, object);
  }
  free(object);
  /* As long as what a cache sends. */
  load->head_length = snprintf(load->head, sizeof load->head,
      "HTTP/1.1 200 OK\r\nDate: Sun, 01 Mar 2026 12:00:00 GMT\r\nContent-Type: application/octet-stream\r\n"
      "Content-Length: %zu\r\nLast-Modified: Sun, 01 Mar 2026 11:00:00 GMT\r\nETag: \"69a41f00-%zx\"\r\n"
      "Cache-Control: public, max-age=86400\r\nAccept-Ranges: bytes\r\nAge: 10\r\nVia: 1.1 floor\r\n\r\n",
      (size_t)load->size, (size_t)load->size);
  return start + load->count * load->stored_size;
}

static void write_data(const char *path, char **texts) {
  data_file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (data_file < 0) err(1, "%s", path);
  for (off_t end = 0; *texts; texts++) end = add_load(*texts, end);
  if (fsync(data_file)) err(1, "%s", path);
  if (!is_direct) return;
  /* Pages of the file that are still cached would have to be looked for at each direct read. */
  posix_fadvise(data_file, 0, 0, POSIX_FADV_DONTNEED);
  close(data_file);
  data_file = open(path, O_RDONLY | O_DIRECT);
  if (data_file < 0) err(1, "%s with O_DIRECT", path);
}

/* Responses. */

static void read_slice(struct connection *c) {
  const struct load *load = c->load;
  size_t length = slice_length(load, c->slice), wanted = is_direct ? padded(length) : length, at = 0;
  off_t start = load->start + c->number * load->stored_size + (off_t)c->slice * SLICE_BYTES;
  while (at < wanted) {
    ssize_t got = pread(data_file, c->buffer + at, wanted - at, start + at);
    if (got <= 0) err(1, "%zu bytes at %ld", wanted - at, (long)start + (long)at);
    at += got;
  }
  if (checksum(c->buffer, length) != load->checksums[c->number * load->slices + c->slice])
    errx(1, "slice %ld of %s%ld does not match its checksum", c->slice, load->name, c->number);
  c->first = c->slice ? 1 : 0;
  c->count = 2;
  c->out[0] = (struct iovec){(void *)load->head, load->head_length};
  c->out[1] = (struct iovec){c->buffer, length};
  c->slice++;
}

static void release_buffer(struct connection *c) {
  if (c->buffer) spare[spare_count++] = c->buffer;
  c->buffer = NULL;
}

/* Waits for what epoll reports: room to write, requests, or nothing while it waits for a buffer. */
static int wait_for(struct connection *c, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = c};
  if (events != c->events) epoll_ctl(poll_fd, EPOLL_CTL_MOD, c->fd, &event);
  c->events = events;
  return 1;
}

static int wait_for_buffer(struct connection *c) {
  c->is_waiting = 1;
  c->next_waiting = NULL;
  *waiting_end = c;
  waiting_end = &c->next_waiting;
  return wait_for(c, 0);
}

static void answer(struct connection *c, const char *request) {
  if (!memcmp(request, "GET /", 5)) {
    const char *path = request + 5;
    for (int i = 0; i < load_count; i++) {
      struct load *load = &loads[i];
      if (memcmp(path, load->name, load->name_length)) continue;
      char *end;
      long number = strtol(path + load->name_length, &end, 10);
      if (*end != ' ' || number < 0 || number >= load->count) break;
      c->load = load;
      c->number = number;
      c->slice = 0;
      return;
    }
  }
  c->out[0] = (struct iovec){(void *)NOT_FOUND, sizeof NOT_FOUND - 1};
  c->first = 0;
  c->count = 1;
  c->is_over = 1;
}

/* Takes the next request that has come whole. */
static int take_request(struct connection *c) {
  char *end = memmem(c->in, c->filled, "\r\n\r\n", 4);
  if (!end) {
    if (c->filled == IN_BYTES) c->is_over = 1; /* no head is that long */
    return 0;
  }
  answer(c, c->in);
  size_t length = end + 4 - c->in;
  c->filled -= length;
  if (c->filled) memmove(c->in, c->in + length, c->filled);
  return 1;
}

static void written(struct connection *c, size_t length) {
  while (length) {
    struct iovec *v = &c->out[c->first];
    size_t part = length < v->iov_len ? length : v->iov_len;
    v->iov_base = (char *)v->iov_base + part;
    v->iov_len -= part;
    length -= part;
    if (!v->iov_len) c->first++;
  }
}

/* Writes, reads slices, takes requests, and reads the socket once; false when the connection has ended. */
static int go_on(struct connection *c) {
  for (int is_read = 0;;) {
    while (c->first < c->count) {
      ssize_t sent = writev(c->fd, c->out + c->first, c->count - c->first);
      if (sent < 0) return errno == EAGAIN && wait_for(c, EPOLLOUT);
      written(c, sent);
    }
    if (c->load && c->slice < c->load->slices) {
      if (!c->buffer && !spare_count) return wait_for_buffer(c);
      if (!c->buffer) c->buffer = spare[--spare_count];
      read_slice(c);
      continue;
    }
    release_buffer(c);
    c->load = NULL;
    if (c->is_over) return 0;
    if (take_request(c)) continue;
    if (c->is_over) return 0;
    if (is_read) return wait_for(c, EPOLLIN);
    ssize_t got = read(c->fd, c->in + c->filled, IN_BYTES - c->filled);
    if (got <= 0) return got < 0 && errno == EAGAIN && wait_for(c, EPOLLIN);
    c->filled += got;
    is_read = 1;
  }
}

static void go_on_or_close(struct connection *c) {
  if (go_on(c)) return;
  release_buffer(c);
  close(c->fd);
  free(c);
}

static void serve_waiting(void) {
  while (spare_count && waiting) {
    struct connection *c = waiting;
    waiting = c->next_waiting;
    if (!waiting) waiting_end = &waiting;
    c->is_waiting = 0;
    go_on_or_close(c);
  }
}

static int listen_on(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 4096)) err(1, "port %d", port);
  return fd;
}

static void accept_all(int listener) {
  int fd, on = 1;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    struct connection *c = calloc(1, sizeof *c);
    c->fd = fd;
    c->events = EPOLLIN;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event);
  }
}

static void serve(int port) {
  int listener = listen_on(port);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];
  poll_fd = epoll_create1(0);
  epoll_ctl(poll_fd, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int count = epoll_wait(poll_fd, events, EVENTS, -1);
    for (int i = 0; i < count; i++) {
      struct connection *c = events[i].data.ptr;
      if (!c)
        accept_all(listener);
      else if (!c->is_waiting)
        go_on_or_close(c);
    }
    serve_waiting();
  }
}

static void make_buffers(void) {
  char *memory = mmap(NULL, (size_t)BUFFERS * SLICE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) err(1, "buffers");
#ifdef HUGE_PAGES
  if (madvise(memory, (size_t)BUFFERS * SLICE_BYTES, MADV_HUGEPAGE)) err(1, "huge pages");
#endif
  while (spare_count < BUFFERS) {
    spare[spare_count] = memory + (size_t)spare_count * SLICE_BYTES;
    spare_count++;
  }
  for (int i = 0; i < SLICE_BYTES; i++) memory[i] = i * 31 + i / 251; /* what checksums are tried on */
}

int main(int count, char **arguments) {
  if (count < 6 || (strcmp(arguments[4], "buffered") && strcmp(arguments[4], "direct")))
    errx(2, "wanted: PORT WORKERS DATA buffered|direct NAME=COUNT=FILE ...");
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  is_direct = !strcmp(arguments[4], "direct");
  make_buffers();
  prepare_checksums();
  write_data(arguments[3], arguments + 5);
  for (int i = 1; i < atoi(arguments[2]); i++)
    if (!fork()) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      break;
    }
  serve(atoi(arguments[1]));
}
