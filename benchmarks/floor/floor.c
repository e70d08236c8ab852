/*
 * The floor of a side-by-side run: one thread, epoll, a lookup by number and one writev a batch of
 * answers. It stores nothing and knows no rules, so no cache that goes through the kernel's sockets can
 * be much cheaper; with -DTLS the same on OpenSSL.
 *
 *   cc -O2 -Wall -Wextra -o floor floor.c
 *   cc -O2 -Wall -Wextra -DTLS -o floor-tls floor.c -lssl -lcrypto
 *   cc -O2 -Wall -Wextra -DSERVED=15 [-DSENDFILE] -o floor-of-a-file floor.c
 *   floor PORT WORKERS NAME=COUNT=FILE ...
 *   floor-tls PORT WORKERS CERTIFICATE KEY NAME=COUNT=FILE ...
 *
 * "GET /NAME/I" is answered with the bytes of FILE, in which %d stands for I. Each of the COUNT bodies has
 * memory of its own, as it would have in a cache. Requests may be pipelined. It listens on loopback only
 * and ends with its parent.
 *
 * With -DSERVED=N the bodies lie in a file of tmpfs, and for each N bytes that are sent one byte of the file
 * is written anew, region by region, as a cache does that stores what it misses; never if N is 0. With
 * -DSENDFILE sockets get pages of that file instead of copies. They may hold them until the client has
 * acknowledged them, so a region is punched out of the file before it is written: it gets new pages.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef TLS
#include <openssl/ssl.h>
#endif

enum { LOADS = 32, EVENTS = 256, BATCH = 32, IN_BYTES = 32 * 1024, RECORD_BYTES = 16 * 1024, GATHERED_BYTES = 64 * 1024 };

struct load {
  char name[32];
  size_t name_length;
  long count;
  size_t size;
  char *bodies; /* COUNT times SIZE bytes, one after the other */
  char head[512];
  size_t head_length;
};

/* Bytes come in to `in`; what is to go out is named by `out`, from `first` on, and never copied. */
struct connection {
  int fd;
  int is_blocked; /* waits for room to write */
  int is_over;    /* close once all is written */
  size_t filled;
  int first, count;
  struct iovec out[2 * BATCH];
#ifdef TLS
  SSL *tls;
#endif
  char in[IN_BYTES];
};

static struct load loads[LOADS];
static int load_count;
static int poll_fd;
#ifdef SERVED
enum { REGION_BYTES = 4 << 20 };
static const size_t FILE_BYTES = (size_t)1 << 40; /* of addresses */
static int body_file;
static char *file;
static size_t file_end, next_region, sent_since;

/* Memory of a body. */
static char *allocate(size_t size) {
  if (!file) {
    body_file = memfd_create("bodies", MFD_CLOEXEC);
    if (body_file < 0 || ftruncate(body_file, FILE_BYTES)) err(1, "memfd");
    file = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, body_file, 0);
  }
  if (file == MAP_FAILED) err(1, "the file of bodies");
  char *at = file + file_end;
  file_end += size;
  return at;
}

/* What was sent pays for what is written. */
static void rewrite(size_t sent) {
  static char incoming[REGION_BYTES];
  sent_since += sent;
  while (SERVED && sent_since >= (size_t)SERVED * REGION_BYTES) {
    sent_since -= (size_t)SERVED * REGION_BYTES;
    if (next_region + REGION_BYTES > file_end) next_region = 0;
    memcpy(incoming, file + next_region, REGION_BYTES); /* as from an origin's socket */
#ifdef SENDFILE
    if (fallocate(body_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, next_region, REGION_BYTES)) err(1, "punch");
#endif
    memcpy(file + next_region, incoming, REGION_BYTES);
    next_region += REGION_BYTES;
  }
}
#else
static char *allocate(size_t size) {
  char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) err(1, "%zu bytes of bodies", size);
  return at;
}

static void rewrite(size_t sent) {
  (void)sent;
}
#endif

static const char NOT_FOUND[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

static void read_body(const char *pattern, long number, char *into, size_t size) {
  char path[4096];
  const char *place = strstr(pattern, "%d");
  if (place)
    snprintf(path, sizeof path, "%.*s%ld%s", (int)(place - pattern), pattern, number, place + 2);
  else
    snprintf(path, sizeof path, "%s", pattern);
  int file = open(path, O_RDONLY);
  if (file < 0) err(1, "%s", path);
  for (size_t at = 0; at < size;) {
    ssize_t got = read(file, into + at, size - at);
    if (got <= 0) err(1, "%s", path);
    at += got;
  }
  close(file);
}

static void add_load(char *text) {
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
  load->size = first.st_size;
  load->bodies = allocate(load->size * load->count);
  for (long i = 0; i < load->count; i++) read_body(pattern, i, load->bodies + i * load->size, load->size);
  /* As long as what a cache sends. */
  load->head_length = snprintf(load->head, sizeof load->head,
      "HTTP/1.1 200 OK\r\nDate: Sun, 01 Mar 2026 12:00:00 GMT\r\nContent-Type: application/octet-stream\r\n"
      "Content-Length: %zu\r\nLast-Modified: Sun, 01 Mar 2026 11:00:00 GMT\r\nETag: \"69a41f00-%zx\"\r\n"
      "Cache-Control: public, max-age=86400\r\nAccept-Ranges: bytes\r\nAge: 10\r\nVia: 1.1 floor\r\n\r\n",
      load->size, load->size);
}

static void queue(struct connection *c, const void *bytes, size_t length) {
  c->out[c->count++] = (struct iovec){(void *)bytes, length};
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
      queue(c, load->head, load->head_length);
      queue(c, load->bodies + number * load->size, load->size);
      return;
    }
  }
  queue(c, NOT_FOUND, sizeof NOT_FOUND - 1);
  c->is_over = 1;
}

/* Queues answers to the whole requests that have come, a batch at most. */
static void take_requests(struct connection *c) {
  size_t at = 0;
  char *end;
  c->first = c->count = 0;
  while (c->count < 2 * BATCH && !c->is_over && (end = memmem(c->in + at, c->filled - at, "\r\n\r\n", 4))) {
    answer(c, c->in + at);
    at = end + 4 - c->in;
  }
  c->filled -= at;
  if (at && c->filled) memmove(c->in, c->in + at, c->filled);
  if (c->filled == IN_BYTES) c->is_over = 1; /* no head is that long */
}

static void written(struct connection *c, size_t length) {
  rewrite(length);
  while (length) {
    struct iovec *v = &c->out[c->first];
    size_t part = length < v->iov_len ? length : v->iov_len;
    v->iov_base = (char *)v->iov_base + part;
    v->iov_len -= part;
    length -= part;
    if (!v->iov_len) c->first++;
  }
}

#ifdef TLS

static SSL_CTX *context;

static ssize_t would_block(SSL *tls, int result) {
  int why = SSL_get_error(tls, result);
  errno = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? EAGAIN : EIO;
  return why == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}

static ssize_t receive(struct connection *c, char *into, size_t length) {
  int got = SSL_read(c->tls, into, length);
  return got > 0 ? got : would_block(c->tls, got);
}

static int has_more(struct connection *c) {
  return SSL_has_pending(c->tls);
}

/* One record: what is short goes out together, what is long straight from where it lies. */
static ssize_t send_some(struct connection *c) {
  static char record[RECORD_BYTES];
  struct iovec *v = &c->out[c->first];
  const void *from = v->iov_base;
  size_t length = v->iov_len;
  if (length < RECORD_BYTES && c->first + 1 < c->count) {
    length = 0;
    for (int i = c->first; i < c->count && length < RECORD_BYTES; i++) {
      size_t part = c->out[i].iov_len < RECORD_BYTES - length ? c->out[i].iov_len : RECORD_BYTES - length;
      memcpy(record + length, c->out[i].iov_base, part);
      length += part;
    }
    from = record;
  }
  int sent = SSL_write(c->tls, from, length > 1 << 30 ? 1 << 30 : length);
  return sent > 0 ? sent : would_block(c->tls, sent);
}

/* False where the socket does not take all that is gathered. */
static int flush(struct connection *c) {
  return BIO_flush(SSL_get_wbio(c->tls)) > 0;
}

static void opened(struct connection *c) {
  c->tls = SSL_new(context);
  /* Records are gathered, so that the kernel is called for several at a time: a tenth less at 100 KB. */
  BIO *socket = BIO_new_socket(c->fd, BIO_NOCLOSE), *gathered = BIO_new(BIO_f_buffer());
  BIO_set_write_buffer_size(gathered, GATHERED_BYTES);
  BIO_up_ref(socket);
  SSL_set0_rbio(c->tls, socket);
  SSL_set0_wbio(c->tls, BIO_push(gathered, socket));
  SSL_set_accept_state(c->tls);
}

static void closed(struct connection *c) {
  SSL_free(c->tls);
}

static void prepare_tls(const char *certificate, const char *key) {
  context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1) errx(1, "no certificate in %s", certificate);
  if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) errx(1, "no key in %s", key);
}

#else

static ssize_t receive(struct connection *c, char *into, size_t length) {
  return read(c->fd, into, length);
}

static int has_more(struct connection *c) {
  (void)c;
  return 0;
}

#ifdef SENDFILE
static int is_body(const struct iovec *v) {
  return (char *)v->iov_base >= file && (char *)v->iov_base < file + file_end;
}

static ssize_t send_some(struct connection *c) {
  struct iovec *v = &c->out[c->first];
  off_t at = (char *)v->iov_base - file;
  if (is_body(v)) return sendfile(c->fd, body_file, &at, v->iov_len);
  struct msghdr heads = {.msg_iov = v};
  while (c->first + (int)heads.msg_iovlen < c->count && !is_body(&v[heads.msg_iovlen])) heads.msg_iovlen++;
  return sendmsg(c->fd, &heads, c->first + (int)heads.msg_iovlen < c->count ? MSG_MORE : 0);
}
#else
static ssize_t send_some(struct connection *c) {
  return writev(c->fd, c->out + c->first, c->count - c->first);
}
#endif

static int flush(struct connection *c) {
  (void)c;
  return 1;
}

static void opened(struct connection *c) {
  (void)c;
}

static void closed(struct connection *c) {
  (void)c;
}

#endif

/* Waits for room while something is to be written, else for requests. */
static int wait_for(struct connection *c, int is_blocked) {
  struct epoll_event event = {.events = is_blocked ? EPOLLOUT : EPOLLIN, .data.ptr = c};
  if (is_blocked != c->is_blocked) epoll_ctl(poll_fd, EPOLL_CTL_MOD, c->fd, &event);
  c->is_blocked = is_blocked;
  return 1;
}

/* Writes, takes requests, and reads once; false when the connection has ended. */
static int go_on(struct connection *c) {
  for (int is_read = 0;;) {
    while (c->first < c->count) {
      ssize_t sent = send_some(c);
      if (sent < 0) return errno == EAGAIN && wait_for(c, 1);
      written(c, sent);
    }
    if (!flush(c)) return wait_for(c, 1);
    if (c->is_over) return 0;
    take_requests(c);
    if (c->count) continue;
    if (c->is_over) return 0;
    if (is_read && !has_more(c)) return wait_for(c, 0);
    ssize_t got = receive(c, c->in + c->filled, IN_BYTES - c->filled);
    if (got <= 0) return got < 0 && errno == EAGAIN && wait_for(c, 0);
    c->filled += got;
    is_read = 1;
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
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    opened(c);
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
      if (!c) {
        accept_all(listener);
      } else if (!go_on(c)) {
        closed(c);
        close(c->fd);
        free(c);
      }
    }
  }
}

int main(int count, char **arguments) {
#ifdef TLS
  int first_load = 5;
  if (count > first_load) prepare_tls(arguments[3], arguments[4]);
#else
  int first_load = 3;
#endif
  if (count <= first_load) errx(2, "too few arguments, see the head of floor.c");
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (int i = first_load; i < count; i++) add_load(arguments[i]);
  for (int i = 1; i < atoi(arguments[2]); i++)
    if (!fork()) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      break;
    }
  serve(atoi(arguments[1]));
}
