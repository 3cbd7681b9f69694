// The sockets that datagrams may go by, by name: what is said of one is tried on all that there are here. Those of the
// machine code lose every datagram when its call is over, as memory that is used again does.

import type { UdpNetwork } from '../../src/ports/udp.ts'
import type { DeviceSockets } from '../../src/io/net/device-sockets.ts'
import { DgramNetwork } from '../../src/io/net/udp-dgram.ts'
import { UdpMachine } from '../../src/io/net/udp-machine.ts'
import { NativeNetwork } from '../../src/io/net/udp-native.ts'
import { nativeFile, nativeMissing } from './native-hashes.ts'

/** What is left of a datagram when the call that brought it is over. */
const POISON = 0xdb

/** Spoils each datagram after its call: who keeps one finds out. */
export function spoiled(udp: UdpNetwork): UdpNetwork {
  return {
    bind: (at, receive) =>
      udp.bind(at, (bytes, from) => {
        try {
          receive(bytes, from)
        } finally {
          bytes.fill(POISON)
        }
      }),
  }
}

/** The sockets of the machine code, of this thread. */
export function udpMachine(): UdpMachine {
  return UdpMachine.load(nativeFile)
}

/** Those there are. */
export const datagramNetworks: Readonly<Record<string, (devices?: DeviceSockets | null) => UdpNetwork>> = {
  'node:dgram': (devices = null) => new DgramNetwork(devices),
  ...(nativeMissing === false && process.platform === 'linux'
    ? { native: (devices: DeviceSockets | null = null) => spoiled(new NativeNetwork(udpMachine(), devices)) }
    : {}),
}
