// Counts of torrents that strangers named: over HTTP and UDP, many at once, and never at a private address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InfoHash, infoHashBytes, parseInfoHash } from '../../../src/base/ids.ts'
import type { HttpGet } from '../../../src/ports/http-get.ts'
import type { AddressClass } from '../../../src/ports/name-resolver.ts'
import type { UdpNetwork } from '../../../src/ports/udp.ts'
import { TrackerScrapes } from '../../../src/tracker/tracker-scrapes.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const signal = new AbortController().signal
const [FIRST, SECOND] = ['1'.repeat(40), '2'.repeat(40)].map(text => parseInfoHash(text)) as [InfoHash, InfoHash]

/** A UDP tracker that answers connects and scrapes: torrent n has n seeders and 2n leechers. */
function world(kind: AddressClass = 'public', body = 'de') {
  const gets: HttpGet[] = []
  const http = {
    get: (order: HttpGet) => {
      gets.push(order)
      return Promise.resolve({ status: 200, body: Buffer.from(body, 'latin1'), remoteIp: null })
    },
    close: () => Promise.resolve(),
  }
  const sent: Buffer[] = []
  const udp: UdpNetwork = {
    bind: (_, receive) =>
      Promise.resolve({
        address: { ip: '0.0.0.0', port: 1 },
        send: (bytes, to) => {
          const packet = Buffer.from(bytes)
          sent.push(packet)
          const asked = (packet.length - 16) / 20
          const answer = Buffer.alloc(asked === 0 ? 16 : 8 + asked * 12)
          answer.writeUInt32BE(asked === 0 ? 0 : 2, 0)
          packet.copy(answer, 4, 12, 16)
          for (let row = 0; row < asked; row++) {
            answer.writeUInt32BE(row + 1, 8 + row * 12)
            answer.writeUInt32BE(2 * (row + 1), 16 + row * 12)
          }
          queueMicrotask(() => receive(new Uint8Array(answer), to))
        },
        close: () => Promise.resolve(),
      }),
  }
  const resolver = { resolve: () => Promise.resolve([{ ip: '192.0.2.1', family: 4, class: kind } as const]) }
  const clock = new VirtualClock()
  const deps = { clock, random: new SeededRandom(1), http, udp, resolver, namesToProxy: false }
  return { scrapes: new TrackerScrapes(deps), gets, sent, clock }
}

test('over UDP: both torrents in one packet after the connect', async () => {
  const { scrapes, sent } = world()
  const counts = await scrapes.ask('udp://t.example:6969/announce', [FIRST, SECOND], signal)
  assert.deepEqual(
    [...counts],
    [
      [FIRST, { seeders: 1, leechers: 2 }],
      [SECOND, { seeders: 2, leechers: 4 }],
    ],
  )
  assert.equal(sent.length, 2)
  assert.deepEqual(sent[1]?.subarray(16), Buffer.concat([infoHashBytes(FIRST), infoHashBytes(SECOND)]))
  await scrapes.close()
})

test('over HTTP: both torrents in one address, and only those that the tracker has are answered', async () => {
  const key = Buffer.from(infoHashBytes(SECOND)).toString('latin1')
  const { scrapes, gets } = world('public', `d5:filesd20:${key}d8:completei4e10:incompletei5eeee`)
  const counts = await scrapes.ask('http://t.example/announce', [FIRST, SECOND], signal)
  assert.deepEqual([...counts], [[SECOND, { seeders: 4, leechers: 5 }]])
  assert.equal(gets[0]?.url, `http://t.example/scrape?info_hash=${'%11'.repeat(20)}&info_hash=${'%22'.repeat(20)}`)
  await scrapes.close()
})

test('private addresses are refused: strangers named the tracker', async () => {
  const { scrapes, gets, sent } = world('private')
  await assert.rejects(scrapes.ask('udp://t.example:6969/announce', [FIRST], signal), /no address that can be used/)
  assert.equal(sent.length, 0)
  await scrapes.ask('http://t.example/announce', [FIRST], signal)
  assert.equal(gets[0]?.privateRule, 'refuse')
  await scrapes.close()
})

test('other schemes, and more torrents than fit', async () => {
  const { scrapes } = world()
  await assert.rejects(scrapes.ask('wss://t.example/announce', [FIRST], signal), /no address that can be used/)
  const many = Array.from({ length: 33 }, () => FIRST)
  await assert.rejects(scrapes.ask('udp://t.example:1', many, signal), RangeError)
})
