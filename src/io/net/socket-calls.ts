// The system calls for sockets that Node has none for: SO_BINDTODEVICE keeps a socket to one network device, whatever
// routes there are (socket(7)). Since Linux 5.7 everybody may set it on a socket that has none yet. Reached through
// koffi, an optional package, which is loaded when a node is bound to a device and never otherwise (decision 0300).
// Invariant: a descriptor that is not handed out is closed.

import { createRequire } from 'node:module'
import { getSystemErrorName } from 'node:util'
import type { PeerAddress } from '../../base/ids.ts'
import { parseIp } from '../../wire/net/compact-address.ts'

/** Makes sockets that keep to a device. Methods throw a SocketCallError. */
export interface SocketCalls {
  /** A descriptor of a socket of `family` (4 or 6) on `device`, not blocking; `at`: bound to this address too. */
  open(kind: 'tcp' | 'udp', family: 4 | 6, device: string, at: PeerAddress | null): number
  close(fd: number): void
  /** Takes back what libuv sets on each UDP descriptor it is given: others may not share the address. */
  ownAddress(fd: number): void
  /** The number of a device; 0 when there is none of this name. One that was made again has another number. */
  indexOf(device: string): number
}

/** A system call failed; `code` as Node spells it: `EPERM`, `ENODEV`, `EADDRINUSE`. */
export class SocketCallError extends Error {
  readonly code: string

  constructor(call: string, code: string) {
    super(`${call}: ${code}`)
    this.code = code
  }
}

type Call = (...args: readonly (number | string | Uint8Array)[]) => number

/** The parts of koffi in use. */
interface Koffi {
  load(path: null): { func(prototype: string): Call }
  errno(): number
}

/** Architectures on which the numbers below hold (MIPS and SPARC have others), and all of them little-endian. */
const ARCHITECTURES: ReadonlySet<string> = new Set(['x64', 'arm64', 'arm', 'ia32', 'riscv64', 'loong64'])
const AF = { 4: 2, 6: 10 } as const
const SOCK = { tcp: 1, udp: 2 } as const
const SOCK_NONBLOCK = 0o4000
const SOCK_CLOEXEC = 0o2000000
const SOL_SOCKET = 1
const SO_REUSEADDR = 2
const SO_BINDTODEVICE = 25
const IPPROTO_IPV6 = 41
const IPV6_V6ONLY = 26
const ON = Buffer.from([1, 0, 0, 0])
const OFF = Buffer.alloc(4)

/** struct sockaddr_in or sockaddr_in6, for a canonical literal. */
function socketAddress({ ip, port }: PeerAddress): Uint8Array {
  const bytes = parseIp(ip) ?? new Uint8Array(4)
  const isIpv6 = bytes.length === 16
  const address = Buffer.alloc(isIpv6 ? 28 : 16)
  address.writeUInt16LE(AF[isIpv6 ? 6 : 4], 0)
  address.writeUInt16BE(port, 2)
  address.set(bytes, isIpv6 ? 8 : 4)
  return address
}

/** SocketCalls of the C library. */
export class LibcSocketCalls implements SocketCalls {
  readonly #koffi: Koffi
  readonly #socket: Call
  readonly #setOption: Call
  readonly #bind: Call
  readonly #close: Call
  readonly #indexOf: Call

  constructor(koffi: Koffi) {
    const libc = koffi.load(null)
    this.#koffi = koffi
    this.#socket = libc.func('int socket(int domain, int type, int protocol)')
    this.#setOption = libc.func('int setsockopt(int fd, int level, int name, const void *value, uint32_t length)')
    this.#bind = libc.func('int bind(int fd, const void *address, uint32_t length)')
    this.#close = libc.func('int close(int fd)')
    this.#indexOf = libc.func('uint32_t if_nametoindex(const char *name)')
  }

  open(kind: 'tcp' | 'udp', family: 4 | 6, device: string, at: PeerAddress | null): number {
    const fd = this.#socket(AF[family], SOCK[kind] | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
    if (fd < 0) throw this.#failed('socket')
    try {
      // First of all: nothing is ever sent or heard without it.
      this.#set(fd, SOL_SOCKET, SO_BINDTODEVICE, Buffer.from(`${device}\0`, 'latin1'))
      if (family === 6) this.#set(fd, IPPROTO_IPV6, IPV6_V6ONLY, ON)
      if (at !== null) this.#bindTo(fd, kind, at)
      return fd
    } catch (error) {
      this.#close(fd)
      throw error
    }
  }

  close(fd: number): void {
    this.#close(fd)
  }

  ownAddress(fd: number): void {
    this.#set(fd, SOL_SOCKET, SO_REUSEADDR, OFF)
  }

  indexOf(device: string): number {
    return this.#indexOf(device)
  }

  #bindTo(fd: number, kind: 'tcp' | 'udp', at: PeerAddress): void {
    // As libuv does: a port is free again as soon as its listener closes, though old connections of it still fade away.
    if (kind === 'tcp') this.#set(fd, SOL_SOCKET, SO_REUSEADDR, ON)
    const address = socketAddress(at)
    if (this.#bind(fd, address, address.length) < 0) throw this.#failed('bind')
  }

  #set(fd: number, level: number, name: number, value: Uint8Array): void {
    if (this.#setOption(fd, level, name, value, value.length) < 0) throw this.#failed('setsockopt')
  }

  #failed(call: string): SocketCallError {
    return new SocketCallError(call, getSystemErrorName(-this.#koffi.errno()))
  }
}

/** The calls, tried once. Throws an Error that says why devices cannot be bound to here. */
export function loadSocketCalls(): SocketCalls {
  if (process.platform !== 'linux' || !ARCHITECTURES.has(process.arch)) {
    throw new Error(`not known for ${process.platform} on ${process.arch}`)
  }
  const calls = new LibcSocketCalls(createRequire(import.meta.url)('koffi') as Koffi)
  try {
    calls.close(calls.open('udp', 4, 'lo', null))
  } catch (error) {
    // The error "no such device" proves that binding to one is allowed.
    if (!(error instanceof SocketCallError) || error.code !== 'ENODEV') throw error
  }
  return calls
}
