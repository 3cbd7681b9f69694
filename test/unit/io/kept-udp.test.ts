// Sockets for talks with routers: bound where they were told to be, and silent when that address may not be used.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { KeptUdpNetwork } from '../../../src/io/net/kept-udp.ts'
import { MemoryUdp } from '../../kit/sim/memory-udp.ts'

const ROUTER = { ip: '192.168.1.1', port: 5351 }
const refused = (error: unknown): boolean => error instanceof AppError && error.code === 'SourceFailed'

test('nothing is bound to, or sent from, an address that may not be used', async () => {
  const udp = new MemoryUdp()
  const allowed = new Set(['192.168.1.20'])
  const network = new KeptUdpNetwork({ udp, mayUse: ip => allowed.has(ip) })
  const ignore = (): void => undefined
  await assert.rejects(network.bind({ family: 4, ip: '192.168.1.30', port: 0 }, ignore), refused)
  await assert.rejects(network.bind({ family: 4, ip: null, port: 0 }, ignore), refused)
  const socket = await network.bind({ family: 4, ip: '192.168.1.20', port: 0 }, ignore)
  socket.send(Uint8Array.of(1), ROUTER)
  assert.equal(udp.sent.length, 1)
  allowed.clear()
  socket.send(Uint8Array.of(2), ROUTER)
  assert.equal(udp.sent.length, 1)
  await socket.close()
  assert.equal(udp.open, 0)
})
