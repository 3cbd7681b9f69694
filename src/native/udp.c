// Datagram sockets as JavaScript has them: numbers, and one memory for all sockets of a thread, in which datagrams and
// the numbers about them lie (udp-socket.h). A socket keeps its process alive until it is closed; a thread that ends
// closes its own. Wrong arguments throw RangeError, and what the system refuses an Error with its code.

#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "udp.h"

#ifdef __linux__
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "udp-socket.h"

// Buffers in the kernel; the system may allow less. A burst that does not fit is lost, and loss is what slows uTP down.
#define RECEIVE_BUFFER_BYTES (4 * 1024 * 1024)
#define SEND_BUFFER_BYTES (2 * 1024 * 1024)

struct udp_socket *udp_socket_of(struct udp_thread *thread, int32_t number) {
  struct udp_socket *socket = number < 0 ? NULL : thread->sockets[number % MOST_SOCKETS];
  return socket != NULL && socket->number == number && !socket->closed ? socket : NULL;
}

// --- memory

static void let_go(struct udp_memory *memory, atomic_int *owners) {
  if (atomic_fetch_sub(owners, 1) > 1) return;
  free(memory);
  free(owners);
}

static void buffer_is_gone(napi_env env, void *data, void *hint) {
  (void)env;
  let_go(data, hint);
}

static bool make_memory(struct udp_thread *thread) {
  napi_value buffer;
  // Zeroes that take no memory before they are written to.
  struct udp_memory *memory = calloc(1, sizeof *memory);
  atomic_int *owners = malloc(sizeof *owners);
  if (memory == NULL || owners == NULL) {
    free(memory);
    free(owners);
    return false;
  }
  atomic_init(owners, 2);
  if (napi_create_external_arraybuffer(thread->env, memory, sizeof *memory, buffer_is_gone, owners, &buffer) != napi_ok) {
    free(memory);
    free(owners);
    return false;
  }
  thread->memory = memory;
  thread->owners = owners;
  return napi_create_reference(thread->env, buffer, 1, &thread->buffer) == napi_ok;
}

// --- sockets

static void handle_is_gone(uv_handle_t *handle) {
  struct udp_socket *socket = uv_handle_get_data(handle);
  struct udp_thread *thread = socket->thread;
  free(socket);
  free(handle);
  thread->handles--;
  if (!thread->ending || thread->handles > 0) return;
  napi_remove_async_cleanup_hook(thread->cleanup);
  free(thread);
}

static void close_socket(struct udp_socket *socket) {
  socket->closed = true;
  socket->thread->sockets[socket->number % MOST_SOCKETS] = NULL;
  udp_drop(socket);
  uv_poll_stop(socket->poll);
  close(socket->fd);
  napi_delete_reference(socket->thread->env, socket->receive);
  napi_async_destroy(socket->thread->env, socket->context);
  uv_close((uv_handle_t *)socket->poll, handle_is_gone);
}

static void on_poll(uv_poll_t *poll, int status, int events) {
  struct udp_socket *socket = uv_handle_get_data((uv_handle_t *)poll);
  if (status < 0) {
    // libuv stops at an error of the socket: reading it takes it away, and datagrams come on.
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(socket->fd, SOL_SOCKET, SO_ERROR, &error, &length);
    udp_watch(socket);
    return;
  }
  if ((events & UV_WRITABLE) != 0) udp_drain(socket);
  if ((events & UV_READABLE) != 0) udp_receive(socket);
}

void udp_watch(struct udp_socket *socket) {
  uv_poll_start(socket->poll, UV_READABLE | (socket->first_waiting == NULL ? 0 : UV_WRITABLE), on_poll);
}

// --- the thread

static void thread_ends(napi_async_cleanup_hook_handle handle, void *data) {
  struct udp_thread *thread = data;
  (void)handle;
  thread->ending = true;
  for (unsigned at = 0; at < MOST_SOCKETS; at++)
    if (thread->sockets[at] != NULL) close_socket(thread->sockets[at]);
  napi_delete_reference(thread->env, thread->buffer);
  let_go(thread->memory, thread->owners);
  thread->memory = NULL;
  if (thread->handles > 0) return;
  napi_remove_async_cleanup_hook(thread->cleanup);
  free(thread);
}

// What sockets of this thread have in common, made when it is first asked for.
static struct udp_thread *thread_of(struct call *call) {
  struct udp_thread *thread = NULL;
  if (call->failed || napi_get_instance_data(call->env, (void **)&thread) != napi_ok || thread != NULL) return thread;
  thread = calloc(1, sizeof *thread);
  if (thread == NULL) return NULL;
  thread->env = call->env;
  if (napi_get_uv_event_loop(call->env, &thread->loop) != napi_ok || !make_memory(thread)) {
    free(thread);
    return NULL;
  }
  // What hooks are given is theirs to free: nothing is freed here.
  if (napi_add_async_cleanup_hook(call->env, thread_ends, thread, &thread->cleanup) != napi_ok ||
      napi_set_instance_data(call->env, thread, NULL, NULL) != napi_ok)
    return NULL;
  return thread;
}

static struct udp_thread *needed_thread(struct call *call) {
  struct udp_thread *thread = thread_of(call);
  if (thread == NULL) refuse(call, "there is no memory for datagrams");
  return thread;
}

static struct udp_socket *socket_at(struct call *call, struct udp_thread *thread, unsigned index) {
  const unsigned number = number_at(call, index, INT_MAX, "a socket is a number");
  struct udp_socket *socket = call->failed ? NULL : udp_socket_of(thread, (int32_t)number);
  if (socket == NULL) refuse(call, "there is no such socket");
  return socket;
}

// --- calls

static void set_number(napi_env env, napi_value object, const char *name, double number) {
  napi_value value;
  if (napi_create_double(env, number, &value) == napi_ok) napi_set_named_property(env, object, name, value);
}

// udpMemory(): the memory of this thread, and where in it lies what.
static napi_value memory_of(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  struct udp_thread *thread = needed_thread(&call);
  napi_value object, buffer;
  if (call.failed || napi_create_object(env, &object) != napi_ok) return NULL;
  if (napi_get_reference_value(env, thread->buffer, &buffer) != napi_ok) return NULL;
  napi_set_named_property(env, object, "buffer", buffer);
  set_number(env, object, "counts", offsetof(struct udp_memory, counts));
  set_number(env, object, "received", offsetof(struct udp_memory, received));
  set_number(env, object, "senders", offsetof(struct udp_memory, senders));
  set_number(env, object, "staged", offsetof(struct udp_memory, staged));
  set_number(env, object, "destinations", offsetof(struct udp_memory, destinations));
  set_number(env, object, "bytes", offsetof(struct udp_memory, bytes));
  set_number(env, object, "mostReceived", MOST_RECEIVED);
  set_number(env, object, "mostSenders", SENDERS);
  set_number(env, object, "mostStaged", MOST_STAGED);
  set_number(env, object, "mostDestinations", DESTINATIONS);
  set_number(env, object, "mostBytes", STAGED_BYTES);
  return object;
}

static void fail(struct call *call, const char *name) {
  const char *code = uv_err_name(-errno);
  char text[64];
  snprintf(text, sizeof text, "%s %s", name, code);
  if (!call->failed) napi_throw_error(call->env, code, text);
  call->failed = true;
}

static void set_options(struct call *call, int fd, sa_family_t family) {
  const int on = 1, receive = RECEIVE_BUFFER_BYTES, send = SEND_BUFFER_BYTES;
  // IPv6 alone, so that both families can be bound side by side; of a socket that is bound it cannot be said any more.
  int bound = 0;
  socklen_t length = sizeof bound;
  if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) < 0 &&
      (getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &bound, &length) < 0 || bound == 0))
    fail(call, "setsockopt");
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive, sizeof receive);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send, sizeof send);
}

static void bind_to(struct call *call, int fd, sa_family_t family, struct bytes ip, unsigned port) {
  struct sockaddr_in6 at = {.sin6_family = family, .sin6_port = htons((uint16_t)port)};
  void *place = family == AF_INET ? (void *)&((struct sockaddr_in *)(void *)&at)->sin_addr : (void *)&at.sin6_addr;
  if (ip.length > 0) memcpy(place, ip.at, ip.length);
  const socklen_t length = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof at;
  if (bind(fd, (const struct sockaddr *)&at, length) < 0) fail(call, "bind");
}

// A datagram socket of the family, or the call fails.
static void check_descriptor(struct call *call, int fd, sa_family_t family) {
  int type = 0, domain = 0;
  socklen_t length = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) < 0 || type != SOCK_DGRAM ||
      getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0 || domain != family)
    refuse(call, "that descriptor is no datagram socket of this family");
}

static struct udp_socket *make_socket(struct call *call, struct udp_thread *thread, int fd, sa_family_t family) {
  struct udp_socket *socket = calloc(1, sizeof *socket);
  uv_poll_t *poll = calloc(1, uv_handle_size(UV_POLL));
  unsigned place = 0;
  while (place < MOST_SOCKETS && thread->sockets[place] != NULL) place++;
  int error = socket == NULL || poll == NULL ? UV_ENOMEM : place == MOST_SOCKETS ? UV_EMFILE : uv_poll_init(thread->loop, poll, fd);
  if (error != 0) {
    free(socket);
    free(poll);
    errno = -error;
    fail(call, "poll");
    return NULL;
  }
  // Another number each time, so that one of a socket that was closed is none.
  thread->opened = (thread->opened + 1) % (INT_MAX / MOST_SOCKETS);
  *socket = (struct udp_socket){.thread = thread, .poll = poll, .fd = fd, .family = family, .most_segment = MOST_DATAGRAM,
                                .number = thread->opened * MOST_SOCKETS + (int32_t)place};
  uv_handle_set_data((uv_handle_t *)poll, socket);
  thread->sockets[place] = socket;
  thread->handles++;
  return socket;
}

static void listen_with(struct call *call, struct udp_socket *socket, napi_value receive) {
  napi_value name;
  if (napi_create_string_utf8(call->env, "tributary:udp", NAPI_AUTO_LENGTH, &name) == napi_ok &&
      napi_async_init(call->env, NULL, name, &socket->context) == napi_ok &&
      napi_create_reference(call->env, receive, 1, &socket->receive) == napi_ok)
    udp_watch(socket);
  else refuse(call, "a socket needs a function");
}

// udpOpen(family, ip, port, fd, receive): a bound socket; `ip` has no bytes for any address. `fd`: of a socket that is
// bound already, which is owned from now on; -1: none. `receive` is called with the number of datagrams that came.
static napi_value open_socket(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  struct udp_thread *thread = needed_thread(&call);
  const unsigned version = number_at(&call, 0, 7, "a family is 4 or 6");
  if (version != 4 && version != 6) refuse(&call, "a family is 4 or 6");
  const sa_family_t family = version == 4 ? AF_INET : AF_INET6;
  const struct bytes ip = bytes_at(&call, 1, napi_uint8_array, "an address must be a Uint8Array");
  if (ip.length != 0 && ip.length != (version == 4 ? 4 : 16)) refuse(&call, "an address has 4 or 16 bytes, as its family");
  const unsigned port = number_at(&call, 2, 65536, "there is no such port");
  double given = -1;
  napi_valuetype type = napi_undefined;
  if (!call.failed && (napi_get_value_double(env, call.values[3], &given) != napi_ok || !(given >= -1 && given < INT_MAX)))
    refuse(&call, "there is no such descriptor");
  if (!call.failed && (napi_typeof(env, call.values[4], &type) != napi_ok || type != napi_function)) refuse(&call, "a socket needs a function");
  if (call.failed) return NULL;
  int fd = (int)given;
  if (fd >= 0) check_descriptor(&call, fd, family);
  else if ((fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) < 0) fail(&call, "socket");
  if (!call.failed) set_options(&call, fd, family);
  if (!call.failed && given < 0) bind_to(&call, fd, family, ip, port);
  struct udp_socket *made = call.failed ? NULL : make_socket(&call, thread, fd, family);
  if (made == NULL) {
    if (given < 0 && fd >= 0) close(fd);
    return NULL;
  }
  listen_with(&call, made, call.values[4]);
  napi_value number = NULL;
  if (!call.failed) napi_create_int32(env, made->number, &number);
  if (number != NULL) return number;
  // Whoever gave a descriptor closes it when it is not taken.
  if (given >= 0) made->fd = -1;
  close_socket(made);
  return NULL;
}

// udpAddress(socket, out): writes where it is bound, as struct udp_address, to the 20 bytes `out`.
static napi_value address_of(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  struct udp_socket *socket = socket_at(&call, needed_thread(&call), 0);
  const struct bytes out = bytes_at(&call, 1, napi_uint8_array, "out must be a Uint8Array");
  struct sockaddr_in6 at;
  socklen_t length = sizeof at;
  if (!call.failed && out.length != sizeof(struct udp_address)) refuse(&call, "an address takes 20 bytes");
  if (call.failed) return NULL;
  if (getsockname(socket->fd, (struct sockaddr *)&at, &length) < 0) fail(&call, "getsockname");
  if (call.failed) return NULL;
  struct udp_address address = {.port = ntohs(at.sin6_port), .family = socket->family};
  if (socket->family == AF_INET) memcpy(address.ip, &((const struct sockaddr_in *)(const void *)&at)->sin_addr, 4);
  else memcpy(address.ip, &at.sin6_addr, 16);
  memcpy(out.at, &address, sizeof address);
  return NULL;
}

// udpFlush(): sends what is staged.
static napi_value flush(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  struct udp_thread *thread = needed_thread(&call);
  if (!call.failed && !udp_flush(thread)) refuse(&call, "what is staged lies outside of the memory");
  return NULL;
}

// udpWaiting(socket): bytes that wait for room in the kernel.
static napi_value waiting_of(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  struct udp_socket *socket = socket_at(&call, needed_thread(&call), 0);
  napi_value number = NULL;
  if (!call.failed) napi_create_double(env, (double)socket->waiting, &number);
  return number;
}

// udpClose(socket): at once; what waits is lost.
static napi_value close_at(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  struct udp_socket *socket = socket_at(&call, needed_thread(&call), 0);
  if (!call.failed) close_socket(socket);
  return NULL;
}

void offer_udp(napi_env env, napi_value exports) {
  offer(env, exports, "udpMemory", memory_of);
  offer(env, exports, "udpOpen", open_socket);
  offer(env, exports, "udpAddress", address_of);
  offer(env, exports, "udpFlush", flush);
  offer(env, exports, "udpWaiting", waiting_of);
  offer(env, exports, "udpClose", close_at);
}

#else

void offer_udp(napi_env env, napi_value exports) {
  (void)env;
  (void)exports;
}

#endif
