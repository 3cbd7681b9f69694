// The kernel's tables of sockets (/proc/net/tcp and its like, proc(5)): how one row reads. Pure; addresses are
// hexadecimal words in the machine's byte order.

import { endianness } from 'node:os'

/** One socket of a table. */
export interface SocketRow {
  readonly inode: string
  readonly family: number
  readonly type: number
  readonly status: string
  readonly laddr: string
  readonly raddr: string
}

/** A table, and how a row of it, parted at spaces, reads: null for the head and what is no row. */
export interface SocketTable {
  readonly name: string
  read(words: readonly string[]): SocketRow | null
}

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const SOCK_STREAM = 1
const SOCK_DGRAM = 2
const SOCK_RAW = 3

/** By their numbers in the kernel (include/net/tcp_states.h). */
const TCP_STATES = [
  '',
  'ESTABLISHED',
  'SYN_SENT',
  'SYN_RECV',
  'FIN_WAIT1',
  'FIN_WAIT2',
  'TIME_WAIT',
  'CLOSE',
  'CLOSE_WAIT',
  'LAST_ACK',
  'LISTEN',
  'CLOSING',
  'SYN_RECV',
]

const littleEndian = endianness() === 'LE'

/** `0100007F:1F90` as `127.0.0.1:8080`; `-` for no address and no port. */
export function socketAddress(text: string): string {
  const [address = '', portDigits = '0'] = text.split(':')
  const port = Number.parseInt(portDigits, 16)
  const bytes = Buffer.from(address, 'hex')
  if (littleEndian && bytes.length % 4 === 0) bytes.swap32()
  if (port === 0 && bytes.every(byte => byte === 0)) return '-'
  return bytes.length === 4 ? `${bytes.join('.')}:${port}` : `[${ipv6(bytes)}]:${port}`
}

function ipv6(bytes: Buffer): string {
  const mapped = bytes.length === 16 && bytes.readUInt16BE(10) === 0xffff && bytes.subarray(0, 10).every(b => b === 0)
  if (mapped) return `::ffff:${bytes.subarray(12).join('.')}`
  const words = Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16))
  return new URL(`http://[${words.join(':')}]/`).hostname.slice(1, -1)
}

/** Rows `sl local remote st tx:rx tr:when retrnsmt uid timeout inode`. */
function internet(name: string, family: number, type: number): SocketTable {
  return {
    name,
    read(words) {
      const [, local, remote, state = '', , , , , , inode] = words
      if (local === undefined || remote === undefined || inode === undefined || !/^\d+$/.test(inode)) return null
      const status = type === SOCK_STREAM ? (TCP_STATES[Number.parseInt(state, 16)] ?? 'NONE') : 'NONE'
      return { inode, family, type, status, laddr: socketAddress(local), raddr: socketAddress(remote) }
    },
  }
}

/** Rows `num refs protocol flags type state inode [path]`. */
const unixSockets: SocketTable = {
  name: 'unix',
  read(words) {
    const [, , , , type, , inode, ...path] = words
    if (type === undefined || inode === undefined || !/^\d+$/.test(inode)) return null
    const laddr = path.join(' ') || '-'
    return { inode, family: AF_UNIX, type: Number.parseInt(type, 16), status: 'NONE', laddr, raddr: '-' }
  },
}

/** Rows `sk eth pid groups rmem wmem dump locks drops inode`. */
const netlinkSockets: SocketTable = {
  name: 'netlink',
  read(words) {
    const inode = words[9]
    if (inode === undefined || !/^\d+$/.test(inode)) return null
    return { inode, family: AF_NETLINK, type: SOCK_RAW, status: 'NONE', laddr: '-', raddr: '-' }
  },
}

/** Every table that is looked into. */
export const socketTables: readonly SocketTable[] = [
  internet('tcp', AF_INET, SOCK_STREAM),
  internet('tcp6', AF_INET6, SOCK_STREAM),
  internet('udp', AF_INET, SOCK_DGRAM),
  internet('udp6', AF_INET6, SOCK_DGRAM),
  internet('icmp', AF_INET, SOCK_DGRAM),
  internet('icmp6', AF_INET6, SOCK_DGRAM),
  internet('raw', AF_INET, SOCK_RAW),
  internet('raw6', AF_INET6, SOCK_RAW),
  unixSockets,
  netlinkSockets,
]
