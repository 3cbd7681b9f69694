// What the node and five clients of other projects say to each other on the wire, read by a relay between them:
// metadata for magnets, the fast extension, torrents made here, and encrypted connections that a relay cannot read.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { runCli } from '../kit/nodes/node-process.ts'
import { CLIENT_NAMES, CLIENT_NEEDS, type ClientName } from '../kit/peers/other-clients.ts'
import { needs } from '../kit/requirements.ts'
import { type TappedTalk, tappedTransfer } from '../kit/peers/tapped-transfer.ts'

const NAME = 'exchange.bin'
const skip = needs('netns', ...CLIENT_NEEDS)

/** Message numbers of BEP 6 and BEP 10. */
const HAVE_ALL = 14
const HAVE_NONE = 15
const EXTENDED = 20
const PORT = 9
const FAST_BIT = 0x04
const DHT_BIT = 0x01
/** Bytes of metadata, so that it takes several of its pieces (16 KiB). */
const made = makeTorrent({ name: NAME, length: 14_000_007, pieceLength: 16 * 1024, seed: 42 })

describe('what is said on the wire', { skip, concurrency: 1 }, () => {
  const { hosts, folder } = interopPlace()
  let torrent = ''

  before(async () => {
    const from = await folder.sub('made')
    await writeContent(made, from, NAME)
    torrent = join(folder.path, 'made.torrent')
    const args = [
      'create',
      join(from, NAME),
      '--output',
      torrent,
      '--format',
      'v1',
      '--piece-length',
      '16KiB',
      '--quiet',
    ]
    const end = await runCli(args)
    assert.equal(end.code, 0, end.stderr)
  })

  const both = async (client: ClientName, more: object, look: (talk: TappedTalk[], toNode: boolean) => void) => {
    for (const toNode of [true, false]) {
      const talk = await tappedTransfer(
        { client, toNode, made, name: NAME, torrent, magnet: true, ...more },
        hosts,
        folder,
      )
      look(talk, toNode)
    }
  }

  for (const client of CLIENT_NAMES) {
    test(`${client}: metadata, a torrent made here, fast extension`, { timeout: 240_000 }, async () => {
      let fast = true
      await both(client, { nodeSettings: { 'libtorrent.encryption': 'off' } }, (talk, toNode) => {
        const full = talk.filter(one => one.node.ids().has(EXTENDED) && one.client.ids().has(EXTENDED))
        const handshakes = full.flatMap(one => (toNode ? one.client : one.node).extensionHandshakes())
        assert.ok(handshakes.some(hand => Number(hand.get('metadata_size')) === made.info.length))
        fast &&= talk.some(one => spokeFast(toNode ? one.client : one.node, toNode ? one.node : one.client))
      })
      cell('magnet metadata', client)
      cell('create v1', client)
      assert.equal(fast, client !== 'rtorrent')
      if (client !== 'rtorrent') cell('fast extension', client)
    })

    test(`${client}: a private torrent comes by its tracker, and no other way is offered`, {
      timeout: 240_000,
    }, async () => {
      const closed = makeTorrent({ name: NAME, length: 700_000, pieceLength: 16 * 1024, seed: 7, private: true })
      const sources = { 'libtorrent.dht': true, 'libtorrent.dht_bootstrap': '[]', 'libtorrent.pex': true }
      const nodeSettings = { 'libtorrent.encryption': 'off', ...sources }
      for (const one of [closed, made]) {
        const file = one === made ? torrent : await writeTorrent(one, folder.path)
        await both(client, { made: one, torrent: file, magnet: false, nodeSettings }, talk => {
          const offers = talk.map(each => offersPeers(each.node)).filter(offer => offer !== null)
          assert.ok(offers.length > 0)
          assert.deepEqual(new Set(offers), new Set([one === made]))
        })
      }
      cell('private torrents', client)
    })

    // WebTorrent's encrypted connections fail with everybody, itself too.
    if (client === 'webtorrent') continue
    test(`${client}: nothing is readable where RC4 is required`, { timeout: 240_000 }, async () => {
      const strict = {
        magnet: false,
        clientOptions: { rc4: true },
        nodeSettings: { 'libtorrent.encryption': 'require', 'libtorrent.encryption_methods': 'rc4' },
      }
      await both(client, strict, talk => {
        const used = talk.filter(one => one.node.said + one.client.said > made.content.length)
        assert.ok(used.length > 0)
        for (const one of used) assert.deepEqual([one.node.plain, one.client.plain], [false, false])
      })
      cell('MSE', client)
    })
  }
})

/** Both said that they know the extension, the seeding side that it has all, the other that it has nothing. */
function spokeFast(seed: TappedTalk['node'], fetching: TappedTalk['node']): boolean {
  const bits = [seed, fetching].every(words => ((words.reserved[7] ?? 0) & FAST_BIT) !== 0)
  return bits && seed.ids().has(HAVE_ALL) && fetching.ids().has(HAVE_NONE)
}

/** Whether one who spoke BEP 10 offered peer exchange or the DHT; null when it did not speak so far. */
function offersPeers(words: TappedTalk['node']): boolean | null {
  const shakes = words.extensionHandshakes()
  if (shakes.length === 0) return null
  const exchange = shakes.some(shake => Number((shake.get('m') as Map<string, unknown>).get('ut_pex') ?? 0) !== 0)
  return exchange || words.ids().has(PORT) || ((words.reserved[7] ?? 0) & DHT_BIT) !== 0
}
