// Two programs at addresses of their own on one loopback device: a line that loses and delays nothing, with packets of
// 64 KiB. In the place of the two namespaces of utp-hosts.ts, which have wires of 1500 bytes.

import { readFileSync } from 'node:fs'
import type { UtpHosts } from '../../test/kit/sim/utp-hosts.ts'
import type { BenchPlace } from './bench-place.ts'

/** Bytes that crossed the loopback device, in and out. */
function loopbackBytes(): number {
  const fields = /^\s*lo:\s*(.*)$/m.exec(readFileSync('/proc/net/dev', 'utf8'))?.[1]?.trim().split(/\s+/) ?? []
  return Number(fields[0] ?? 0) + Number(fields[8] ?? 0)
}

/** New addresses each time it is asked, since clients remember peers by theirs. */
export function loopbackPair({ hosts }: BenchPlace): UtpHosts {
  const side = () => ({ ip: hosts.next(), gatewayIp: '', prefix: [], wireBytes: loopbackBytes })
  return { near: side(), far: side(), stop: () => Promise.resolve() }
}
