// The conversations with proxies, byte by byte as the RFCs have them, in pieces of any size; refusals and nonsense.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, DecodeError } from '../../../src/base/errors.ts'
import { HttpConnectHandshake } from '../../../src/io/proxy/http-connect.ts'
import { proxyFromSettings, type ProxySettings } from '../../../src/io/proxy/proxy-config.ts'
import type { HandshakeStep, ProxyHandshake } from '../../../src/io/proxy/proxy-handshake.ts'
import { Socks4Handshake } from '../../../src/io/proxy/socks4.ts'
import {
  decodeSocksAddress,
  decodeSocksDatagram,
  encodeSocksAddress,
  encodeSocksDatagram,
  Socks5Handshake,
} from '../../../src/io/proxy/socks5.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const target = { host: '192.0.2.7', port: 6881 }

/** Feeds the answers of a proxy a byte at a time; what was sent meanwhile, as hex. */
function byBytes(handshake: ProxyHandshake, answers: Uint8Array): { sent: string[]; end: HandshakeStep | null } {
  const sent: string[] = []
  for (const [at, byte] of answers.entries()) {
    const step = handshake.receive(Uint8Array.of(byte))
    if (step.done) {
      assert.equal(at, answers.length - 1, 'done before the last byte')
      return { sent, end: step }
    }
    if (step.send !== null) sent.push(hex(step.send))
  }
  return { sent, end: null }
}

const says = (pattern: RegExp) => (error: unknown) =>
  error instanceof AppError && error.code === 'SourceFailed' && pattern.test(error.message)

test('SOCKS5 CONNECT without a password', () => {
  const handshake = new Socks5Handshake({ command: 'connect', target, auth: null })
  assert.equal(hex(handshake.begin()), '050100')
  const { sent, end } = byBytes(handshake, bytes('0500 05 00 00 01 0a000001 1234'))
  assert.deepEqual(sent, ['05010001c00002071ae1'])
  assert.deepEqual(end, { done: true, rest: new Uint8Array(0), bound: { host: '10.0.0.1', port: 0x1234 } })
})

test('SOCKS5 with a password, to a name and to IPv6', () => {
  const auth = { user: 'me', password: 'pw:1' }
  const named = new Socks5Handshake({ command: 'connect', target: { host: 'a.example', port: 80 }, auth })
  assert.equal(hex(named.begin()), '05020002')
  const { sent } = byBytes(named, bytes('0502 0100 0500 00 03 01 61 0001'))
  assert.deepEqual(sent, ['01026d650470773a31', `0501000309${Buffer.from('a.example').toString('hex')}0050`])
  const six = new Socks5Handshake({ command: 'connect', target: { host: '2001:db8::1', port: 1 }, auth })
  assert.equal(hex(six.begin()), '05020002')
  // The proxy may let everybody in although a password was offered.
  assert.deepEqual(byBytes(six, bytes('0500')).sent, ['0501000420010db80000000000000000000000010001'])
})

test('SOCKS5 UDP ASSOCIATE tells where the relay is', () => {
  const unknown = { host: '0.0.0.0', port: 0 }
  const handshake = new Socks5Handshake({ command: 'associate', target: unknown, auth: null })
  const { sent, end } = byBytes(handshake, bytes('0500 0500 00 04 20010db8000000000000000000000001 1f90'))
  assert.deepEqual(sent, ['05030001000000000000'])
  assert.deepEqual(end?.done === true ? end.bound : null, { host: '2001:db8::1', port: 8080 })
})

test('what follows the reply belongs to the stream; all answers may come at once', () => {
  const handshake = new Socks5Handshake({ command: 'connect', target, auth: null })
  handshake.begin()
  const step = handshake.receive(bytes('0500 05 00 00 01 00000000 0000 6869'))
  assert.ok(step.done)
  assert.equal(hex(step.rest), '6869')
})

test('SOCKS5 refusals say why', () => {
  const make = (auth: { user: string; password: string } | null) =>
    new Socks5Handshake({ command: 'connect', target, auth })
  assert.throws(() => make(null).receive(bytes('05ff')), says(/user or password/))
  assert.throws(() => byBytes(make({ user: 'a', password: 'b' }), bytes('0502 0101')), says(/are wrong/))
  assert.throws(() => make(null).receive(bytes('0500 050500 01 00000000 0000')), says(/was refused/))
  assert.throws(() => make(null).receive(bytes('0500 055500')), says(/failure 85/))
  for (const answer of ['0400', '0502', '0501', '0500 040000', '0500 050000 02', '0500 050000 0300']) {
    assert.throws(() => make(null).receive(bytes(answer)), DecodeError, answer)
  }
  assert.throws(() => byBytes(make({ user: 'a', password: 'b' }), bytes('0502 0500')), DecodeError)
  const long = make({ user: 'x'.repeat(256), password: 'b' })
  assert.throws(() => long.receive(bytes('0502')), says(/1 to 255/))
})

test('heads of relayed datagrams', () => {
  const datagram = encodeSocksDatagram(target, Buffer.from('hi'))
  assert.equal(hex(datagram), '00000001c00002071ae16869')
  assert.deepEqual(decodeSocksDatagram(datagram), { from: target, payload: Uint8Array.from(Buffer.from('hi')) })
  for (const broken of [
    '',
    '0000',
    '000001',
    '00000101c0000207 1ae1',
    '01000001c00002071ae1',
    '00000001c000',
    '00000002',
  ]) {
    assert.throws(() => decodeSocksDatagram(bytes(broken)), DecodeError, broken)
  }
  assert.equal(decodeSocksAddress(bytes('03'), 0), null)
  for (const address of [target, { host: 'name.example', port: 65_535 }, { host: '2001:db8::1', port: 0 }]) {
    const encoded = encodeSocksAddress(address)
    assert.deepEqual(decodeSocksAddress(encoded, 0), { address, next: encoded.length })
  }
})

test('SOCKS4 and 4a', () => {
  assert.equal(hex(new Socks4Handshake(target).begin()), '04011ae1c000020700')
  const named = new Socks4Handshake({ host: 'a.b', port: 80 })
  assert.equal(hex(named.begin()), '0401005000000001 00 612e6200'.replaceAll(' ', ''))
  assert.ok(byBytes(named, bytes('005a 0000 00000000')).end?.done)
  assert.throws(() => new Socks4Handshake(target).receive(bytes('005b 0000 00000000')), says(/code 91/))
  assert.throws(() => new Socks4Handshake(target).receive(bytes('045a 0000 00000000')), DecodeError)
  assert.throws(() => new Socks4Handshake({ host: '::1', port: 80 }).begin(), says(/IPv6/))
})

test('HTTP CONNECT with and without a password', () => {
  const text = (handshake: HttpConnectHandshake): string => Buffer.from(handshake.begin()).toString()
  const plain = new HttpConnectHandshake({ host: '2001:db8::1', port: 443 }, null)
  assert.equal(text(plain), 'CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n\r\n')
  const auth = { user: 'me', password: 'pw:1' }
  const withAuth = new HttpConnectHandshake({ host: 'a.example', port: 80 }, auth)
  assert.match(
    text(withAuth),
    /^CONNECT a\.example:80 HTTP\/1\.1\r\n.*\r\nProxy-Authorization: Basic bWU6cHc6MQ==\r\n\r\n$/s,
  )
  const { sent, end } = byBytes(withAuth, Buffer.from('HTTP/1.0 200 OK\r\nX: y\r\n\r\n'))
  assert.deepEqual([sent, end?.done], [[], true])
  const step = plain.receive(Buffer.from('HTTP/1.1 200\r\n\r\nrest'))
  assert.ok(step.done)
  assert.equal(Buffer.from(step.rest).toString(), 'rest')
})

test('HTTP refusals, nonsense, and heads without an end', () => {
  const make = (): HttpConnectHandshake => new HttpConnectHandshake(target, null)
  assert.throws(() => make().receive(Buffer.from('HTTP/1.1 407 No\r\n\r\n')), says(/user or password/))
  assert.throws(() => make().receive(Buffer.from('HTTP/1.1 500 No\r\n\r\n')), says(/status 500/))
  assert.throws(() => make().receive(Buffer.from('SSH-2.0-x\r\n\r\n')), DecodeError)
  assert.throws(() => make().receive(Buffer.from('HTTP/1.1 20\r\nHTTP/1.1 200 OK\r\n\r\n')), DecodeError)
  assert.throws(() => make().receive(Buffer.alloc(20_000, 0x61)), DecodeError)
  assert.throws(() => make().receive(Buffer.from(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`)), DecodeError)
  for (const host of ['a b', 'a\r\nX: y', '']) {
    assert.throws(() => new HttpConnectHandshake({ host, port: 1 }, null).begin(), says(/host name/), host)
  }
})

test('proxies from settings', () => {
  const settings = { proxy_type: 0, proxy_server: ':', proxy_auth: ':', proxy_hostnames: true }
  assert.equal(proxyFromSettings(settings), null)
  assert.deepEqual(
    proxyFromSettings({ ...settings, proxy_type: 3, proxy_server: 'px.example:1080', proxy_auth: 'u:p:q' }),
    {
      kind: 'socks5',
      host: 'px.example',
      port: 1080,
      auth: { user: 'u', password: 'p:q' },
      hostnames: true,
    },
  )
  const kinds = [1, 2, 4].map(proxy_type => proxyFromSettings({ ...settings, proxy_type, proxy_server: '[::1]:9' }))
  assert.deepEqual(
    kinds.map(proxy => [proxy?.kind, proxy?.host, proxy?.auth]),
    [
      ['socks4', '::1', null],
      ['socks5', '::1', null],
      ['http', '::1', null],
    ],
  )
  const invalid = (error: unknown): boolean => error instanceof AppError && error.code === 'InvalidSetting'
  const wrongs: readonly Partial<ProxySettings>[] = [
    { proxy_type: 2 },
    { proxy_type: 6, proxy_server: 'a:1' },
    { proxy_type: 2, proxy_server: 'a:0' },
    { proxy_type: 2, proxy_server: 'a' },
    { proxy_type: 2, proxy_server: 'a b:1' },
    { proxy_type: 2, proxy_server: '[a]:1' },
    { proxy_type: 3, proxy_server: 'a:1' },
    { proxy_type: 5, proxy_server: 'a:1', proxy_auth: 'user' },
    { proxy_type: 5, proxy_server: 'a:1', proxy_auth: 'u\r\n:p' },
  ]
  for (const wrong of wrongs) {
    assert.throws(() => proxyFromSettings({ ...settings, ...wrong }), invalid, JSON.stringify(wrong))
  }
})
