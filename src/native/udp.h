// Datagram sockets for the thread that opens them, in batches: udp.c has what JavaScript calls, udp-receive.c and
// udp-send.c the way of datagrams. Linux alone has the calls for it; elsewhere JavaScript finds no such functions.

#ifndef TRIBUTARY_UDP_H
#define TRIBUTARY_UDP_H

#include "arguments.h"

// Makes udpMemory, udpOpen, udpAddress, udpFlush and udpClose, where there is what they need.
void offer_udp(napi_env env, napi_value exports);

#endif
