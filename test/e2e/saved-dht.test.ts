// The DHT's routing table over restarts of the built node: a node that was met once is asked again without being named,
// and a saved table that is broken does no harm.

import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { DATABASE_FILE_NAME } from '../../src/records/database-file.ts'
import { decodeKrpc, encodeKrpc } from '../../src/wire/dht/krpc.ts'
import { makeReply } from '../../src/wire/dht/krpc-types.ts'
import { makeTestFolder } from '../kit/content/content-on-disk.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

/** A node of the DHT that knows no other. */
interface LonelyNode {
  readonly port: number
  /** Queries it has got. */
  readonly asked: number
  stop(): Promise<void>
}

async function lonelyNode(): Promise<LonelyNode> {
  const socket: Socket = createSocket('udp4')
  const id = Buffer.alloc(20, 'n')
  let asked = 0
  socket.on('message', (bytes, { address: ip, port }) => {
    const message = decodeKrpc(bytes)
    if (message.kind !== 'query') return
    asked += 1
    const { transactionId } = message
    const reply = makeReply(id, { nodes: [] })
    socket.send(encodeKrpc({ kind: 'reply', transactionId, version: null, seenAs: { ip, port }, reply }), port, ip)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    get asked() {
      return asked
    },
    stop: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

test('a node of the DHT is known after a restart, and a broken table is passed over', { timeout: 90_000 }, async () => {
  const folder = await makeTestFolder()
  const other = await lonelyNode()
  const stateDir = await folder.sub('state')
  const settings = { 'libtorrent.dht': true, 'libtorrent.dht_bootstrap': `127.0.0.1:${other.port}` }
  const alone = { ...settings, 'libtorrent.dht_bootstrap': '' }
  const run = async (what: typeof settings, look: (before: number) => Promise<unknown>): Promise<void> => {
    const before = other.asked
    const node = await startNode({ stateDir, settings: what })
    try {
      await look(before)
    } finally {
      assert.equal((await node.kill('SIGTERM')).code, 0)
    }
  }
  const isAsked = (before: number) => waitFor('it is asked', () => other.asked > before, 20_000)
  try {
    // The first run is over too soon for the timer: the stop saves.
    await run(settings, async before => {
      await isAsked(before)
      await waitFor('it is in the table', () => other.asked > before + 1, 20_000)
    })
    await run(alone, isAsked)
    const database = new Database(join(stateDir, DATABASE_FILE_NAME))
    const rows = database.prepare("UPDATE node SET value = ? WHERE key = 'value.dht'").run(Buffer.from('rubbish'))
    database.close()
    assert.equal(rows.changes, 1)
    await run(alone, async before => assert.equal(other.asked, before))
  } finally {
    await other.stop()
    await folder.remove()
  }
})
