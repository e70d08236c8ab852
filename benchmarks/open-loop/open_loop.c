/*
 * An open-loop HTTP/1.1 client: requests are due at a constant rate, whatever became of those before, and
 * the time of each counts from when it was due, not from when a connection was free to send it. So a server
 * that stops for a second is charged with every request of that second (no coordinated omission).
 *
 *   cc -O2 -Wall -Wextra -o open-loop open_loop.c
 *   open-loop PORT NAME COUNT RATE SECONDS CONNECTIONS FIELDS [DRAWS]
 *
 * Asks 127.0.0.1:PORT for /NAME/0 to /NAME/(COUNT - 1) at random, each alike or as often as its number is a line
 * of the file DRAWS, with the header fields in the file FIELDS, and prints one line of JSON, times in milliseconds: "first" and "last" byte of answers, and "lag", by how
 * much this program itself was late although a connection was free: what it could not help.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256, HEAD_BYTES = 16 * 1024, READ_BYTES = 256 * 1024, FIELD_BYTES = 16 * 1024 };
enum { SUB_BITS = 10, SUBS = 1 << SUB_BITS, BUCKETS = SUBS * (64 - SUB_BITS) };

static const int64_t SECOND = 1000000000, SPIN = 60000, RAMP = 2 * 1000000000ll, PATIENCE = 10 * 1000000000ll;

/* Counts by value, nanoseconds, with a relative error below a five-hundredth: a row for each power of two. */
struct histogram {
  uint64_t counts[BUCKETS], total;
  int64_t most;
};

struct connection {
  int fd;
  int64_t due; /* when its request was due, 0 while it has none */
  int began;   /* whether the first byte has come */
  size_t filled;      /* of the head */
  int64_t left;       /* of the body, -1 until the head is whole */
  struct connection *next_idle;
  char head[HEAD_BYTES];
};

static int port, poll_fd;
static const char *name;
static long count;
static size_t draws;
static long *drawn; /* numbers to choose from, NULL if all are alike */
static char fields[FIELD_BYTES];
static struct connection *idle;
static struct histogram first, last, lag;
static uint64_t errors, under_way;
static int64_t counted_from;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * SECOND + t.tv_nsec;
}

static size_t bucket_of(uint64_t value) {
  int shift = value < SUBS ? 0 : 64 - SUB_BITS - __builtin_clzll(value);
  return ((size_t)shift << SUB_BITS) + (value >> shift);
}

static int64_t value_of(size_t bucket) {
  size_t shift = bucket >> SUB_BITS, sub = bucket & (SUBS - 1);
  return (int64_t)sub << shift;
}

static void record(struct histogram *h, int64_t due, int64_t at) {
  if (due < counted_from) return;
  int64_t value = at - due;
  h->counts[bucket_of(value < 0 ? 0 : value)]++;
  h->total++;
  if (value > h->most) h->most = value;
}

static double percentile(const struct histogram *h, double share) {
  uint64_t wanted = share * h->total, seen = 0;
  for (size_t i = 0; i < BUCKETS; i++)
    if ((seen += h->counts[i]) > wanted) return value_of(i) / 1e6;
  return h->most / 1e6;
}

static void print(const char *what, const struct histogram *h) {
  printf(", \"%s\": {\"p50\": %.4f, \"p99\": %.4f, \"p999\": %.4f, \"max\": %.4f}", what, percentile(h, .5),
         percentile(h, .99), percentile(h, .999), h->most / 1e6);
}

static void connect_it(struct connection *c) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int on = 1;
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(c->fd, (struct sockaddr *)&address, sizeof address)) err(1, "port %d", port);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  epoll_ctl(poll_fd, EPOLL_CTL_ADD, c->fd, &event);
}

static void make_idle(struct connection *c) {
  c->due = 0;
  c->next_idle = idle;
  idle = c;
}

static long draw(void) {
  static uint64_t state = 88172645463325252ull;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return drawn ? drawn[state % draws] : (long)(state % count);
}

static void ask(int64_t due) {
  struct connection *c = idle;
  char request[FIELD_BYTES + 256];
  int length = snprintf(request, sizeof request, "GET /%s/%ld HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", name, draw(),
                        port, fields);
  idle = c->next_idle;
  c->due = due;
  c->began = 0;
  c->filled = 0;
  c->left = -1;
  under_way++;
  /* Far less than a socket's buffer, which is empty: it is taken whole, or the connection is gone. */
  if (send(c->fd, request, length, MSG_NOSIGNAL) != length) errors++;
}

static void begin_anew(struct connection *c) {
  close(c->fd);
  connect_it(c);
  if (!c->due) return; /* closed between two requests, as a server may */
  errors++;
  under_way--;
  record(&last, c->due, now());
  make_idle(c);
}

/* Takes what is body behind the head; false where this is not an answer we understand. */
static int take_head(struct connection *c, const char *bytes, size_t length, size_t *body) {
  size_t before = c->filled, part = length < HEAD_BYTES - 1 - before ? length : HEAD_BYTES - 1 - before;
  memcpy(c->head + before, bytes, part);
  c->filled += part;
  c->head[c->filled] = 0;
  char *end = strstr(c->head, "\r\n\r\n"), *field;
  if (!end) return c->filled < HEAD_BYTES - 1;
  field = strcasestr(c->head, "\r\nContent-Length:");
  if (strncmp(c->head, "HTTP/1.1 200", 12) || !field || field > end) return 0;
  c->left = atoll(field + 17);
  *body = length - (end + 4 - c->head - before);
  return 1;
}

static void take(struct connection *c) {
  static char bytes[READ_BYTES];
  ssize_t got = recv(c->fd, bytes, READ_BYTES, MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  size_t body = got > 0 ? got : 0;
  int64_t at = now();
  if (got > 0 && !c->began) {
    c->began = 1;
    record(&first, c->due, at);
  }
  if (got <= 0 || (c->left < 0 && !take_head(c, bytes, got, &body))) {
    begin_anew(c);
    return;
  }
  if (c->left < 0) return;
  c->left -= body;
  if (!c->left) {
    record(&last, c->due, at);
    under_way--;
    make_idle(c);
  }
}

static void wait_until(int64_t due) {
  struct epoll_event events[EVENTS];
  int64_t left = due - now() - SPIN;
  struct timespec timeout = {left / SECOND, left % SECOND};
  if (left < 0) timeout = (struct timespec){0, 0};
  int ready = epoll_pwait2(poll_fd, events, EVENTS, &timeout, NULL);
  for (int i = 0; i < ready; i++) take(events[i].data.ptr);
}

static void read_fields(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) err(1, "%s", path);
  fields[fread(fields, 1, FIELD_BYTES - 1, file)] = 0;
  fclose(file);
}

static void read_draws(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) err(1, "%s", path);
  size_t room = 0;
  for (long number; fscanf(file, "%ld", &number) == 1; drawn[draws++] = number)
    if (draws == room) drawn = realloc(drawn, (room = room ? 2 * room : 1024) * sizeof *drawn);
  if (!draws) errx(1, "%s is empty", path);
  fclose(file);
}

int main(int argument_count, char **arguments) {
  if (argument_count != 8 && argument_count != 9)
    errx(2, "wanted: PORT NAME COUNT RATE SECONDS CONNECTIONS FIELDS [DRAWS]");
  port = atoi(arguments[1]);
  name = arguments[2];
  count = atol(arguments[3]);
  double interval = SECOND / atof(arguments[4]);
  int64_t length = RAMP + atof(arguments[5]) * SECOND;
  int connections = atoi(arguments[6]);
  read_fields(arguments[7]);
  if (argument_count == 9) read_draws(arguments[8]);
  poll_fd = epoll_create1(0);
  struct connection *all = calloc(connections, sizeof *all);
  for (int i = 0; i < connections; i++) {
    connect_it(&all[i]);
    make_idle(&all[i]);
  }
  int64_t start = now();
  uint64_t sent = 0, due_in_all = length / interval;
  counted_from = start + RAMP;
  for (int was_free = 1; sent < due_in_all;) {
    int64_t due = start + sent * interval, at = now();
    while (due <= at && idle && sent < due_in_all) {
      if (was_free) record(&lag, due, at);
      ask(due);
      due = start + ++sent * interval;
    }
    if (at > start + length + PATIENCE) break;
    was_free = idle != NULL;
    wait_until(idle ? due : at + SECOND / 1000);
  }
  /* What is still to come gets its time; what never comes counts as if it came at the end. */
  for (int64_t end = now() + PATIENCE; under_way && now() < end;) wait_until(now() + SECOND / 1000);
  int64_t end = now();
  for (uint64_t i = sent; i < due_in_all; i++) record(&last, start + i * interval, end);
  for (int i = 0; i < connections; i++)
    if (all[i].due) record(&last, all[i].due, end);
  printf("{\"due\": %lu, \"sent\": %lu, \"requests\": %lu, \"seconds\": %.3f, \"errors\": %lu, \"unanswered\": %lu",
         due_in_all, sent, last.total, (end - start) / 1e9, errors, under_way + (due_in_all - sent));
  print("first", &first);
  print("last", &last);
  print("lag", &lag);
  printf("}\n");
}
