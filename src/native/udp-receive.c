// What comes in: up to MOST_RECEIVED datagrams by one call of the system, then one call of JavaScript, which finds
// where each lies in numbers.

#ifdef __linux__
#define _GNU_SOURCE
#include <string.h>

#include "udp-socket.h"

// Writes down the sender of a datagram. His place goes by a hash, and is his until another takes it.
static void note_sender(struct udp_memory *memory, struct udp_received *received, const struct sockaddr_in6 *from) {
  struct udp_address address = {.port = ntohs(from->sin6_port), .family = from->sin6_family};
  if (from->sin6_family == AF_INET) memcpy(address.ip, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
  else memcpy(address.ip, &from->sin6_addr, 16);
  uint64_t halves[2];
  memcpy(halves, address.ip, sizeof halves);
  const uint64_t mixed = (halves[0] ^ (halves[1] * 0x9e3779b97f4a7c15u) ^ ((uint64_t)address.port << 48)) * 0xd6e8feb86659fd93u;
  const int32_t place = (int32_t)((mixed >> 32) % SENDERS);
  struct udp_address *known = &memory->senders[place];
  received->from = address;
  received->sender = place;
  received->fresh = memcmp(known, &address, sizeof address) != 0;
  if (received->fresh) *known = address;
}

// A datagram that is longer than its slot goes on elsewhere: there its first bytes are put before the rest.
static void note_place(struct udp_memory *memory, unsigned index, size_t length) {
  struct udp_received *received = &memory->received[index];
  const uint8_t *at = memory->slots[index];
  if (length > SLOT_BYTES) at = memcpy(memory->longer[index], at, SLOT_BYTES);
  received->offset = (int32_t)(at - (const uint8_t *)memory);
  received->length = (int32_t)length;
}

static int receive_batch(struct udp_thread *thread, int fd) {
  struct udp_memory *memory = thread->memory;
  for (unsigned i = 0; i < MOST_RECEIVED; i++) {
    struct msghdr *head = &thread->in[i].msg_hdr;
    head->msg_name = &thread->from[i];
    head->msg_namelen = sizeof thread->from[i];
    head->msg_iov = thread->in_parts[i];
    head->msg_iovlen = 2;
    thread->in_parts[i][0] = (struct iovec){memory->slots[i], SLOT_BYTES};
    thread->in_parts[i][1] = (struct iovec){memory->longer[i] + SLOT_BYTES, MOST_DATAGRAM - SLOT_BYTES};
  }
  memory->counts[RECEIVE_CALLS] += 1;
  return recvmmsg(fd, thread->in, MOST_RECEIVED, MSG_DONTWAIT, NULL);
}

// An error that JavaScript throws is its process's affair, as one of any event is.
static void tell(struct udp_socket *socket, int count) {
  const napi_env env = socket->thread->env;
  napi_handle_scope scope;
  napi_value receive, self, number, error;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return;
  if (napi_get_reference_value(env, socket->receive, &receive) == napi_ok && napi_get_global(env, &self) == napi_ok &&
      napi_create_int32(env, count, &number) == napi_ok &&
      napi_make_callback(env, socket->context, self, receive, 1, &number, NULL) == napi_pending_exception &&
      napi_get_and_clear_last_exception(env, &error) == napi_ok)
    napi_fatal_exception(env, error);
  napi_close_handle_scope(env, scope);
}

void udp_receive(struct udp_socket *socket) {
  struct udp_thread *thread = socket->thread;
  const int count = receive_batch(thread, socket->fd);
  // Errors of earlier sends come here too: they are nobody's.
  if (count <= 0) return;
  for (int i = 0; i < count; i++) {
    note_place(thread->memory, (unsigned)i, thread->in[i].msg_len);
    note_sender(thread->memory, &thread->memory->received[i], &thread->from[i]);
  }
  thread->memory->counts[RECEIVED_COUNT] += count;
  tell(socket, count);
}

#endif
