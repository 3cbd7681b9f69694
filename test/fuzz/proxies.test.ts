// Proxies: any bytes, in any pieces, are a step, a refusal or a DecodeError, and never memory without bound; what is
// written of an address or a datagram is read again as it was.

import assert from 'node:assert/strict'
import { AppError, DecodeError } from '../../src/base/errors.ts'
import { HttpConnectHandshake } from '../../src/io/proxy/http-connect.ts'
import type { ProxyHandshake } from '../../src/io/proxy/proxy-handshake.ts'
import { Socks4Handshake } from '../../src/io/proxy/socks4.ts'
import { decodeSocksDatagram, encodeSocksDatagram, Socks5Handshake } from '../../src/io/proxy/socks5.ts'
import { formatIp } from '../../src/wire/net/compact-address.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'

const target = { host: 'a.example', port: 80 }
const auth = { user: 'u', password: 'p' }

const conversations: readonly { make: () => ProxyHandshake; answers: string }[] = [
  {
    make: () => new Socks5Handshake({ command: 'connect', target, auth: null }),
    answers: '\x05\x00\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50rest',
  },
  {
    make: () => new Socks5Handshake({ command: 'associate', target, auth }),
    answers: '\x05\x02\x01\x00\x05\x00\x00\x03\x09a.example\x00\x50',
  },
  { make: () => new Socks4Handshake(target), answers: '\x00\x5a\x00\x00\x00\x00\x00\x00rest' },
  { make: () => new HttpConnectHandshake(target, auth), answers: 'HTTP/1.1 200 OK\r\nX: y\r\n\r\nrest' },
]

function onlyKnownErrors<T>(run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    assert.ok(error instanceof DecodeError || error instanceof AppError, String(error))
    return null
  }
}

fuzz('any answers of a proxy', 0.5, source => {
  const { make, answers } = source.pick(conversations)
  const handshake = make()
  handshake.begin()
  const given = source.below(4) === 0 ? source.bytes(300) : source.mutate(Buffer.from(answers, 'latin1'))
  for (let at = 0; at < given.length; ) {
    const end = Math.min(given.length, at + 1 + source.below(40))
    const step = onlyKnownErrors(() => handshake.receive(given.subarray(at, end)))
    if (step === null) return
    if (step.done) {
      assert.ok(step.rest.length <= given.length)
      return
    }
    assert.ok(step.send === null || step.send.length < 1024)
    at = end
  }
})

function anyHost(source: Fuzz): string {
  const kind = source.below(3)
  if (kind === 0) return Array.from({ length: 4 }, () => source.below(256)).join('.')
  if (kind === 1) return formatIp(Uint8Array.from([0x20, ...Array.from({ length: 15 }, () => source.below(256))]))
  return `${source.pick(['a', 'tracker', 'x-1'])}.example`
}

fuzz('datagrams of a relay', 0.5, source => {
  const from = { host: anyHost(source), port: source.below(65_536) }
  const payload = source.bytes(100)
  const datagram = encodeSocksDatagram(from, payload)
  const read = decodeSocksDatagram(datagram)
  assert.deepEqual(read.from, from)
  assert.deepEqual(Uint8Array.from(read.payload), payload)
  const broken = onlyKnownErrors(() => decodeSocksDatagram(source.mutate(datagram)))
  if (broken !== null) assert.ok(broken.from.port >= 0 && broken.from.port < 65_536)
})
