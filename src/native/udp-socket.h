// What sockets of a thread have in common (udp.c makes and ends it), and what each has of its own. Invariants: memory
// that JavaScript sees stays where it is until its ArrayBuffer and the thread are both gone; what JavaScript writes
// there is looked at each time before it is used; a socket stays until libuv has let go of its handle.

#ifndef TRIBUTARY_UDP_SOCKET_H
#define TRIBUTARY_UDP_SOCKET_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <uv.h>

#include "arguments.h"

// Datagrams that one call receives, bytes of each that lie side by side, and what a datagram has at most. Longer ones
// lie in a place of their own, which costs no memory before it is written to.
#define MOST_RECEIVED 64
#define SLOT_BYTES 2048
#define MOST_DATAGRAM 65536
// Datagrams that wait for the end of a turn, and their bytes.
#define MOST_STAGED 128
#define STAGED_BYTES (256 * 1024)
// Addresses that JavaScript has objects of: senders by a hash, destinations as it numbers them.
#define SENDERS 1024
#define DESTINATIONS 512
#define MOST_SOCKETS 4096
// Bytes of a socket that may wait because the kernel's buffer is full; what comes then is lost.
#define MOST_WAITING (4 * 1024 * 1024)

// An address as both sides write it; IPv4 has the first four bytes.
struct udp_address {
  uint8_t ip[16];
  uint16_t port;
  uint16_t family;
};

// What came, for JavaScript: where it lies in the memory, and the place of its sender; `fresh`: somebody else had that
// place until now.
struct udp_received {
  int32_t offset, length, sender, fresh;
  struct udp_address from;
};

// What JavaScript wants sent: number of the socket, of the destination, and where the bytes lie in `staged`.
struct udp_staged {
  int32_t socket, destination, offset, length;
};

// The memory that JavaScript sees. `counts`: datagrams that are staged, then for whoever watches, calls that received,
// datagrams received, calls that sent, datagrams sent, those that were lost here, and messages that the sent ones went in.
struct udp_memory {
  double counts[8];
  struct udp_received received[MOST_RECEIVED];
  struct udp_address senders[SENDERS];
  struct udp_staged staged[MOST_STAGED];
  struct udp_address destinations[DESTINATIONS];
  uint8_t bytes[STAGED_BYTES];
  uint8_t slots[MOST_RECEIVED][SLOT_BYTES];
  uint8_t longer[MOST_RECEIVED][MOST_DATAGRAM];
};

enum { STAGED_COUNT, RECEIVE_CALLS, RECEIVED_COUNT, SEND_CALLS, SENT_COUNT, LOST_COUNT, SENT_MESSAGES };

// A datagram that waits for room in the kernel.
struct udp_waiting {
  struct udp_waiting *next;
  struct sockaddr_in6 to;
  size_t length;
  uint8_t bytes[];
};

struct udp_socket {
  struct udp_thread *thread;
  uv_poll_t *poll;
  int fd;
  sa_family_t family;
  int32_t number;
  // Longest datagrams that this way sends several of in one message.
  int32_t most_segment;
  bool closed;
  napi_ref receive;
  napi_async_context context;
  struct udp_waiting *first_waiting, *last_waiting;
  size_t waiting;
};

struct udp_thread {
  napi_env env;
  uv_loop_t *loop;
  napi_async_cleanup_hook_handle cleanup;
  bool ending;
  unsigned handles;
  int32_t opened;
  struct udp_socket *sockets[MOST_SOCKETS];
  struct udp_memory *memory;
  napi_ref buffer;
  atomic_int *owners;
  // Of the call that receives and of the one that sends.
  struct mmsghdr in[MOST_RECEIVED], out[MOST_STAGED];
  struct iovec in_parts[MOST_RECEIVED][2], out_parts[MOST_STAGED];
  struct sockaddr_in6 from[MOST_RECEIVED], to[MOST_STAGED];
  _Alignas(struct cmsghdr) char segments[MOST_STAGED][CMSG_SPACE(sizeof(uint16_t))];
};

// The socket with a number that it has now; NULL: there is none.
struct udp_socket *udp_socket_of(struct udp_thread *thread, int32_t number);

// Receives a batch and gives it to JavaScript.
void udp_receive(struct udp_socket *socket);

// Sends what is staged; false: it made no sense, and nothing was sent.
bool udp_flush(struct udp_thread *thread);

// Sends what waits, as far as there is room.
void udp_drain(struct udp_socket *socket);

// Begins or ends to wait for room, as there is something that waits.
void udp_watch(struct udp_socket *socket);

// Forgets what waits.
void udp_drop(struct udp_socket *socket);

#endif
