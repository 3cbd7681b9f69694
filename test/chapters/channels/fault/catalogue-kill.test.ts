// kill -9 of a process that writes into its channel: what was answered is in the channel afterwards, and its head is
// that of its set.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Catalogue } from '../../../../src/chapters/channels/catalogue/catalogue.ts'
import type { ChannelId } from '../../../../src/chapters/channels/wire/types.ts'
import { treeRoot } from '../../../../src/chapters/channels/wire/tree.ts'
import { torrentOf } from '../unit/catalogue/catalogue-kit.ts'
import { temporaryFolder } from '../../../unit/records/records-kit.ts'
import { killAfter } from '../../../fault/killed-child.ts'

const WRITER = new URL('./catalogue-writer.js', import.meta.url)

function numbers(lines: readonly string[], word: string): number[] {
  return lines.filter(line => line.startsWith(`${word} `)).map(line => Number(line.slice(word.length + 1)))
}

test('kill -9 loses nothing of a channel that was answered, four times in a row', async t => {
  const path = join(temporaryFolder(t), 'catalogue.db')
  const said: string[] = []
  for (let round = 0; round < 4; round++) {
    said.push(...(await killAfter(WRITER, [path, String(round)], 8 + round * 9)))
    const { library, network, close } = await open(path)
    try {
      const channels = new Set(said.filter(line => line.startsWith('channel ')))
      const own = await library.own()
      assert.deepEqual(
        [...channels],
        own.map(({ dispersy_cid }) => `channel ${dispersy_cid}`),
        'one channel, one key',
      )
      const cid = own[0]?.dispersy_cid as ChannelId
      const there = new Set((await library.torrents(cid, false)).map(({ infohash }) => infohash))
      const removed = new Set(numbers(said, 'removed'))
      const last = numbers(said, 'torrents').at(-1)
      for (const id of numbers(said, 'torrents')) {
        for (const part of [1, 2]) assert.ok(there.has(torrentOf(id * 10 + part).infoHash), `torrent ${id} was lost`)
        // The newest may have been removed without time to say so.
        if (!removed.has(id) && id !== last && id % 3 !== 0) assert.ok(there.has(torrentOf(id * 10).infoHash))
        if (removed.has(id)) assert.equal(there.has(torrentOf(id * 10).infoHash), false, `torrent ${id} came back`)
      }
      const known = await network.known(cid)
      const held = await network.heldRecords(cid, null, 1 << 28)
      assert.equal(known?.head?.records, held.length)
      const root = treeRoot(held.map(({ id }) => id))
      assert.deepEqual(Buffer.from(known?.head?.root ?? []), Buffer.from(root), 'the head is that of the set')
    } finally {
      await close()
    }
  }
})

async function open(path: string): Promise<Pick<Catalogue, 'library' | 'network'> & { close: () => Promise<boolean> }> {
  const catalogue = await Catalogue.open({ path })
  return { library: catalogue.library, network: catalogue.network, close: () => catalogue.close(5000) }
}
