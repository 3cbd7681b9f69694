// What goes out: the datagrams of a turn by as few calls of the system as there are sockets among them. Those of one
// length to one destination become one message that the kernel cuts (UDP_SEGMENT); datagrams to one destination stay in
// their order. What the kernel has no room for waits in memory of its own.

#ifdef __linux__
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "udp-socket.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
// What the kernel takes in one message.
#define MOST_SEGMENTS 64
#define MOST_MESSAGE 65000

// Datagrams of one socket by their places in `staged`, in the order in which messages take them.
struct group {
  struct udp_socket *socket;
  unsigned count;
  uint8_t order[MOST_STAGED];
  // Where each message begins in `order`; one more than there are.
  uint8_t begins[MOST_STAGED + 1];
  unsigned messages;
  // What the way took in one message before one was refused, until the first of its datagrams was tried alone; -1: none is.
  int32_t before;
};
_Static_assert(MOST_STAGED < 256, "places are bytes");

static const struct udp_staged *staged_at(const struct group *group, unsigned at) {
  return &group->socket->thread->memory->staged[group->order[at]];
}

// Fills in a destination, whose bytes may be anything.
static socklen_t name_of(struct sockaddr_in6 *to, const struct udp_address *address, sa_family_t family) {
  memset(to, 0, sizeof *to);
  to->sin6_family = family;
  to->sin6_port = htons(address->port);
  if (family == AF_INET) memcpy(&((struct sockaddr_in *)(void *)to)->sin_addr, address->ip, 4);
  else memcpy(&to->sin6_addr, address->ip, 16);
  return family == AF_INET ? sizeof(struct sockaddr_in) : sizeof *to;
}

static void wait_for_room(struct udp_socket *socket, const struct udp_staged *staged) {
  struct udp_memory *memory = socket->thread->memory;
  const size_t length = (size_t)staged->length;
  struct udp_waiting *one = socket->waiting > MOST_WAITING ? NULL : malloc(sizeof *one + length);
  if (one == NULL) {
    memory->counts[LOST_COUNT] += 1;
    return;
  }
  one->next = NULL;
  one->length = length;
  name_of(&one->to, &memory->destinations[staged->destination], socket->family);
  memcpy(one->bytes, memory->bytes + staged->offset, length);
  if (socket->last_waiting == NULL) socket->first_waiting = one;
  else socket->last_waiting->next = one;
  socket->last_waiting = one;
  socket->waiting += length;
}

static void all_wait(const struct group *group, unsigned from) {
  for (unsigned at = from; at < group->count; at++) wait_for_room(group->socket, staged_at(group, at));
  udp_watch(group->socket);
}

// Puts behind the datagram at `at` of `order` those that go into one message with it: the next ones to its destination
// of its length, and a shorter one at the end. Answers where the next message begins.
static unsigned gather(struct group *group, unsigned at) {
  const struct udp_staged *first = staged_at(group, at);
  unsigned end = at + 1;
  int32_t bytes = first->length;
  if (first->length == 0 || first->length > group->socket->most_segment) return end;
  for (unsigned next = end; next < group->count && end - at < MOST_SEGMENTS; next++) {
    const struct udp_staged *other = staged_at(group, next);
    if (other->destination != first->destination) continue;
    if (other->length == 0 || other->length > first->length || bytes + other->length > MOST_MESSAGE) break;
    const uint8_t place = group->order[next];
    memmove(&group->order[end + 1], &group->order[end], next - end);
    group->order[end++] = place;
    bytes += other->length;
    if (staged_at(group, end - 1)->length < first->length) break;
  }
  return end;
}

static void make_message(const struct group *group, unsigned message) {
  struct udp_thread *thread = group->socket->thread;
  struct udp_memory *memory = thread->memory;
  const unsigned begin = group->begins[message], end = group->begins[message + 1];
  struct msghdr *head = &thread->out[message].msg_hdr;
  for (unsigned at = begin; at < end; at++)
    thread->out_parts[at] = (struct iovec){memory->bytes + staged_at(group, at)->offset, (size_t)staged_at(group, at)->length};
  memset(head, 0, sizeof *head);
  head->msg_name = &thread->to[message];
  head->msg_namelen = name_of(&thread->to[message], &memory->destinations[staged_at(group, begin)->destination], group->socket->family);
  head->msg_iov = &thread->out_parts[begin];
  head->msg_iovlen = end - begin;
  if (end - begin == 1) return;
  const uint16_t segment = (uint16_t)staged_at(group, begin)->length;
  head->msg_control = thread->segments[message];
  head->msg_controllen = sizeof thread->segments[message];
  struct cmsghdr *control = CMSG_FIRSTHDR(head);
  control->cmsg_level = IPPROTO_UDP;
  control->cmsg_type = UDP_SEGMENT;
  control->cmsg_len = CMSG_LEN(sizeof segment);
  memcpy(CMSG_DATA(control), &segment, sizeof segment);
}

static void make_messages(struct group *group) {
  group->messages = 0;
  for (unsigned at = 0; at < group->count; group->messages++) {
    group->begins[group->messages] = (uint8_t)at;
    at = gather(group, at);
  }
  group->begins[group->messages] = (uint8_t)group->count;
  for (unsigned message = 0; message < group->messages; message++) make_message(group, message);
}

// What the kernel says of several in one message; anything else, no way there or a firewall, it would say of each too.
static bool refused_together(int error) {
  return error == EIO || error == EINVAL || error == EMSGSIZE || error == EOPNOTSUPP;
}

// A message of several was refused: perhaps this device, or a way that takes no datagrams of this length, wants them one
// by one. Leaves what was not sent, the first of that message as the next to go.
static void try_apart(struct group *group, unsigned message) {
  const unsigned begin = group->begins[message];
  const int32_t length = staged_at(group, begin)->length;
  if (group->before < 0) group->before = group->socket->most_segment;
  group->socket->most_segment = errno == EINVAL || errno == EMSGSIZE ? length - 1 : 0;
  group->count -= begin;
  memmove(group->order, &group->order[begin], group->count);
}

// The first of a message that was refused was tried alone: when it did not leave either, its destination is what the
// system refuses, and others need not pay for it.
static void tried_alone(struct group *group, bool left) {
  if (group->before >= 0 && !left) group->socket->most_segment = group->before;
  group->before = -1;
}

static void send_group(struct group *group) {
  struct udp_socket *socket = group->socket;
  double *counts = socket->thread->memory->counts;
  if (socket->first_waiting != NULL) {
    all_wait(group, 0);
    return;
  }
  make_messages(group);
  for (unsigned message = 0; message < group->messages;) {
    const int sent = sendmmsg(socket->fd, &socket->thread->out[message], group->messages - message, MSG_DONTWAIT);
    counts[SEND_CALLS] += 1;
    if (sent > 0) {
      tried_alone(group, true);
      counts[SENT_MESSAGES] += sent;
      counts[SENT_COUNT] += group->begins[message + (unsigned)sent] - group->begins[message];
      message += (unsigned)sent;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      tried_alone(group, false);
      all_wait(group, group->begins[message]);
      return;
    } else if (errno == EINTR) {
      continue;
    } else if (group->begins[message + 1] - group->begins[message] > 1 && refused_together(errno)) {
      try_apart(group, message);
      make_messages(group);
      message = 0;
    } else {
      // No way there, or too long: lost, as datagrams are.
      tried_alone(group, false);
      counts[LOST_COUNT] += group->begins[message + 1] - group->begins[message];
      message++;
    }
  }
}

static bool makes_sense(const struct udp_staged *staged) {
  return staged->destination >= 0 && staged->destination < DESTINATIONS && staged->offset >= 0 && staged->length >= 0 &&
         staged->length <= MOST_DATAGRAM && staged->offset <= STAGED_BYTES - staged->length;
}

bool udp_flush(struct udp_thread *thread) {
  struct udp_memory *memory = thread->memory;
  const double given = memory->counts[STAGED_COUNT];
  memory->counts[STAGED_COUNT] = 0;
  if (!(given >= 0 && given <= MOST_STAGED)) return false;
  const unsigned count = (unsigned)given;
  for (unsigned at = 0; at < count; at++)
    if (!makes_sense(&memory->staged[at])) return false;
  bool taken[MOST_STAGED] = {false};
  for (unsigned first = 0; first < count; first++) {
    if (taken[first]) continue;
    struct group group = {.socket = udp_socket_of(thread, memory->staged[first].socket), .before = -1};
    for (unsigned at = first; at < count; at++) {
      if (memory->staged[at].socket != memory->staged[first].socket) continue;
      taken[at] = true;
      // Closed meanwhile, or an address of the other family.
      if (group.socket == NULL || memory->destinations[memory->staged[at].destination].family != group.socket->family)
        memory->counts[LOST_COUNT] += 1;
      else group.order[group.count++] = (uint8_t)at;
    }
    if (group.count > 0) send_group(&group);
  }
  return true;
}

static void forget_first(struct udp_socket *socket) {
  struct udp_waiting *first = socket->first_waiting;
  socket->first_waiting = first->next;
  if (first->next == NULL) socket->last_waiting = NULL;
  socket->waiting -= first->length;
  free(first);
}

void udp_drain(struct udp_socket *socket) {
  double *counts = socket->thread->memory->counts;
  while (socket->first_waiting != NULL) {
    struct udp_waiting *first = socket->first_waiting;
    const socklen_t length = socket->family == AF_INET ? sizeof(struct sockaddr_in) : sizeof first->to;
    const ssize_t sent = sendto(socket->fd, first->bytes, first->length, MSG_DONTWAIT, (const struct sockaddr *)&first->to, length);
    counts[SEND_CALLS] += 1;
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    counts[sent < 0 ? LOST_COUNT : SENT_COUNT] += 1;
    if (sent >= 0) counts[SENT_MESSAGES] += 1;
    forget_first(socket);
  }
  udp_watch(socket);
}

void udp_drop(struct udp_socket *socket) {
  while (socket->first_waiting != NULL) {
    socket->thread->memory->counts[LOST_COUNT] += 1;
    forget_first(socket);
  }
}

#endif
