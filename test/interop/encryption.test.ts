// Encrypted connections with libtorrent, both ways: it insists on one method or on none, so that a transfer proves
// which one was spoken.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { EncryptionSettings, TorrentHandle } from '../../src/torrent/index.ts'
import { writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { LoopbackNode } from '../kit/nodes/loopback-node.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const NAME = 'single.bin'

/** libtorrent's settings: policy 0 = forced, 1 = enabled, 2 = disabled; level 1 = plaintext, 2 = RC4, 3 = both. */
function theirs(policy: number, level: number): object {
  return { in_enc_policy: policy, out_enc_policy: policy, allowed_enc_level: level }
}

const CASES: readonly { readonly name: string; readonly ours: EncryptionSettings; readonly theirs: object }[] = [
  { name: 'both require RC4', ours: { mode: 'require', methods: 'rc4' }, theirs: theirs(0, 2) },
  { name: 'both require plaintext', ours: { mode: 'require', methods: 'plaintext' }, theirs: theirs(0, 1) },
  { name: 'it requires RC4 of a node that allows it', ours: { mode: 'allow', methods: 'both' }, theirs: theirs(0, 2) },
  { name: 'it allows what the node requires', ours: { mode: 'require', methods: 'rc4' }, theirs: theirs(1, 3) },
  {
    name: 'it knows no encryption, which is preferred',
    ours: { mode: 'prefer', methods: 'both' },
    theirs: theirs(2, 3),
  },
]

const seeding = (handle: TorrentHandle): Promise<unknown> =>
  waitFor(
    'the node has everything',
    () => handle.snapshot().status === 'seeding',
    45_000,
    () => handle.snapshot(),
  )

describe('encrypted connections with libtorrent', { skip: needs('netns', 'libtorrent'), concurrency: 1 }, () => {
  const { hosts, folder } = interopPlace()
  const made = makeTorrent({ name: NAME, length: 8 * MIB + 77, pieceLength: 256 * 1024 })

  for (const [index, one] of CASES.entries()) {
    for (const toNode of [true, false]) {
      // Who fetches connects.
      test(`${one.name}: ${toNode ? 'libtorrent to node' : 'node to libtorrent'}`, { timeout: 90_000 }, async t => {
        const node = await new LoopbackNode({ session: { encryption: one.ours } }).start()
        t.after(() => node.close())
        const peer = await LibtorrentPeer.start(hosts.next())
        t.after(() => peer.stop())
        await peer.call('settings', { settings: one.theirs })
        const dir = await folder.sub(`${index}-${toNode}`)
        const torrent = await writeTorrent(made, folder.path)
        if (toNode) {
          await writeContent(made, dir, NAME)
          await peer.add({ torrent, dir, seed_mode: true })
          await seeding(node.add(made, { peers: [{ ip: peer.ip, port: peer.port }] }))
          assert.ok(readFileSync(join(node.folder, NAME)).equals(made.content))
        } else {
          await node.put(made)
          await seeding(node.add(made))
          const id = await peer.add({ torrent, dir, peers: [[node.address.ip, node.address.port]] })
          await peer.complete(id, 45_000)
          assert.ok(readFileSync(join(dir, NAME)).equals(made.content))
        }
      })
    }
  }
})
