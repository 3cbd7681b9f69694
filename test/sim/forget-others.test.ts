// Torrents that forget keep what is not theirs alone, and what they are told to keep, whenever that is said; what goes
// is never told of.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../src/base/errors.ts'
import { FileChanged } from '../../src/ports/piece-store.ts'
import type { Torrent } from '../../src/torrent/session/torrent.ts'
import type { TorrentHandle } from '../../src/torrent/types.ts'
import { MEMORY_MARK } from '../kit/doubles/memory-piece-store.ts'
import { joinExtensionPeer } from '../kit/peers/extension-peer.ts'
import { awake } from '../kit/sim/awake.ts'
import {
  KIB,
  MIB,
  PIECE,
  BOUND,
  CONTROLS,
  FORGETS,
  film,
  heldBytes,
  assertClaims,
  forgetful,
  onDisk,
  onDrop,
  readOn,
  whole,
  PIECES,
  assertUntouched,
} from '../kit/sim/forgetful.ts'
import { type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'

test('what lay there before keeps every byte, although it is noted as its own', async () => {
  const swarm = new SimSwarm(5490)
  const { node, handle } = await whole(swarm, 'found')
  await swarm.clock.advance(40_000)
  assertUntouched(node, handle)
  // The same that it made itself goes.
  const other = new SimSwarm(5491)
  const made = await whole(other, 'made')
  await other.clock.until('the rest has gone', () => heldBytes(made.handle) <= BOUND, 20_000)
  assert.ok(made.node.disk.punched.length >= PIECES - BOUND / PIECE)
  await swarm.close()
  await other.close()
})

test('a file into which another program wrote while the node was away keeps every byte, also later', async () => {
  const swarm = new SimSwarm(5496)
  const { node, handle } = await whole(swarm, 'made', () => undefined, 5000)
  await swarm.clock.until('it is hashed', () => heldBytes(handle) === film.content.length, 40_000)
  await swarm.clock.advance(40_000)
  assertUntouched(node, handle)
  assert.deepEqual(await node.journal.madeFiles(film.infoHash), [])
  await awake(handle).stop()
  awake(handle).resume()
  await swarm.clock.advance(40_000)
  assertUntouched(node, handle)
  await swarm.close()
})

test('a file into which another program writes while the node runs keeps every byte, from that moment on', async () => {
  const swarm = new SimSwarm(5499)
  const { node, handle } = await whole(swarm, 'made', at => {
    at.sharesFiles = true
  })
  // What a look of the store at the file says; the bytes are those of the film.
  node.disk.beforeRead = () => {
    node.disk.beforeRead = () => undefined
    throw new FileChanged(0, 'changed', 'film')
  }
  const reader = awake(handle).openReader(0)
  await assert.rejects(readOn(swarm, node, reader, [0, PIECE]), { code: 'FileChanged' })
  reader.close()
  await swarm.clock.until('it is hashed', () => heldBytes(handle) === film.content.length, 40_000)
  node.sharesFiles = false
  await swarm.clock.advance(40_000)
  assertUntouched(node, handle)
  await swarm.close()
})

test('what it made and is the user’s by now keeps every byte', async () => {
  const swarm = new SimSwarm(5497)
  const { node, handle } = await whole(swarm, 'made', at => {
    at.sharesFiles = true
  })
  await awake(handle).keepMade()
  node.sharesFiles = false
  await swarm.clock.advance(40_000)
  assertUntouched(node, handle)
  await awake(handle).stop()
  awake(handle).resume()
  await swarm.clock.advance(40_000)
  assertUntouched(node, handle)
  await swarm.close()
})

test('where another download has files in its places nothing goes, until that one has gone', async () => {
  const swarm = new SimSwarm(5492)
  const { node, handle } = await whole(swarm, 'made', at => {
    at.sharesFiles = true
  })
  await swarm.clock.advance(40_000)
  assertUntouched(node, handle)
  node.sharesFiles = false
  await awake(handle).stop()
  awake(handle).resume()
  await swarm.clock.until('the rest has gone', () => heldBytes(handle) <= BOUND, 20_000)
  await swarm.close()
})

test('another download that comes while pieces are on their way out keeps them', async () => {
  const swarm = new SimSwarm(5493)
  const { node, handle } = await whole(swarm, 'made', at =>
    onDrop(at, () => {
      at.sharesFiles = true
    }),
  )
  await swarm.clock.advance(40_000)
  assertUntouched(node, handle)
  await swarm.close()
})

test('told to keep what it has while pieces are on their way out it keeps them, and only then is complete', async () => {
  const swarm = new SimSwarm(5494)
  let handle: TorrentHandle | null = null
  const seen: unknown[] = []
  const drops = (node: SimNode): void => {
    const dropped = node.journal.piecesDropped.bind(node.journal)
    node.journal.piecesDropped = async (infoHash, pieces) => {
      handle?.setControls(CONTROLS)
      seen.push(handle?.snapshot().status, node.events.includes(`finished ${handle?.snapshot().name}`))
      await dropped(infoHash, pieces)
    }
  }
  const at = await whole(swarm, 'made', node => {
    node.disk.faults.delayMs = 200
    node.sharesFiles = true
  })
  handle = at.handle
  drops(at.node)
  at.node.sharesFiles = false
  const reader = awake(handle).openReader(0)
  await readOn(swarm, at.node, reader, [0, PIECE])
  reader.close()
  const late = await joinExtensionPeer(swarm, at.node, film, '10.9.0.7')
  await swarm.clock.until('seeding', () => at.handle.snapshot().status === 'seeding', 20_000)
  assert.deepEqual(seen, ['downloading', false], 'nobody is told of pieces that may go')
  await swarm.clock.advance(40_000)
  assertUntouched(at.node, at.handle)
  assert.ok(at.node.events.includes(`finished ${at.handle.snapshot().name}`))
  assert.deepEqual(late.of('lt_donthave'), [])
  await late.close()
  await swarm.close()
})

test('a file that gets another name while pieces are on their way out keeps them, and they are had on', async () => {
  const swarm = new SimSwarm(5495)
  const { node, handle } = await whole(swarm, 'made', at => at.disk.faults.linkedLate.add(0))
  const drops: number[] = []
  const dropped = node.journal.piecesDropped.bind(node.journal)
  node.journal.piecesDropped = (infoHash, pieces) => {
    drops.push(pieces.length)
    return dropped(infoHash, pieces)
  }
  await swarm.clock.advance(40_000)
  assertUntouched(node, handle)
  assert.ok(drops.length <= 1, 'it is not tried for ever')
  await swarm.close()
})

test('a disk that has no room for a hole stops nothing, and is asked again later', async () => {
  const swarm = new SimSwarm(5496)
  let drops = 0
  const { node, handle } = await whole(swarm, 'made', at => {
    at.disk.faults.noRoom = true
    const dropped = at.journal.piecesDropped.bind(at.journal)
    at.journal.piecesDropped = (infoHash, pieces) => {
      drops += 1
      return dropped(infoHash, pieces)
    }
  })
  const peer = await swarm.join(node, film, {}, { upRate: 100 * KIB })
  await swarm.clock.advance(20_000)
  assertUntouched(node, handle)
  assert.deepEqual([handle.snapshot().status, drops], ['downloading', 1])
  node.disk.faults.noRoom = false
  const reader = awake(handle).openReader(0)
  await swarm.clock.advance(70_000)
  reader.close()
  await swarm.clock.until('the rest has gone', () => heldBytes(handle) <= BOUND, 20_000)
  await peer.close()
  await swarm.close()
})

test('a step that fails leaves nothing on the disk that is not had: it is given back later', async () => {
  const swarm = new SimSwarm(5556)
  const { node, handle } = await forgetful(swarm)
  await swarm.join(node, film, {}, { upRate: 600 * KIB })
  const reader = awake(handle).openReader(0)
  await readOn(swarm, node, reader, [0, 20 * MIB])
  assert.ok(node.disk.punched.length > 0)
  let failed = 0
  node.disk.beforePunch = () => {
    if ((failed += 1) === 1) throw new AppError('PoolBusy')
  }
  await readOn(swarm, node, reader, [20 * MIB, 32 * MIB])
  reader.close()
  assert.ok(failed > 0)
  await swarm.clock.until('the bound', () => heldBytes(handle) <= BOUND, 40_000)
  await swarm.clock.until('nothing else is there', () => onDisk(node, film) * PIECE === heldBytes(handle), 40_000)
  assertClaims(node)
  await swarm.close()
})

test('a torrent that is giving bytes back is not suspended: another one would write where holes are made', async () => {
  const swarm = new SimSwarm(5497)
  const node = await swarm.node({ session: { readCacheBytes: BOUND } })
  node.disk.put(film.infoHash, film.content, PIECES)
  await node.journal.noteMadeFile(film.infoHash, 0, MEMORY_MARK)
  const files = [{ index: 0, exists: true, sizeBytes: film.content.length, mtimeMs: 1 }]
  const resume = { have: new Uint8Array(PIECES / 8).fill(0xff, 0, 1), suspect: [], files, newestMs: 0 }
  let during: unknown = 'not asked'
  node.disk.beforePunch = () => {
    during = (awake(handle) as unknown as Torrent).suspend()
  }
  const handle = node.add(film, { controls: FORGETS, resume })
  await swarm.clock.until('given back', () => node.disk.punched.length > 0, 30_000)
  assert.equal(during, null)
  await swarm.close()
})

test('what is dropped counts as having come: a film that is forgotten is forecast as any other', async () => {
  const starts = await Promise.all(
    [true, false].map(async forgets => {
      const swarm = new SimSwarm(5498)
      const node = await swarm.node({ session: { readCacheBytes: BOUND } })
      const handle = node.add(film, { controls: forgets ? FORGETS : { ...CONTROLS, sequential: true } })
      await swarm.clock.until('it runs', () => handle.snapshot().status === 'downloading', 10_000)
      await swarm.join(node, film, {}, { upRate: 600 * KIB })
      const reader = awake(handle).openReader(0)
      await readOn(swarm, node, reader, [0, 24 * MIB])
      const facts = { bytesPerSecond: 650 * KIB, index: [], keys: null }
      const rate = awake(handle).forecast(0, { byte: 24 * MIB }, facts, 0)?.rate ?? 0
      assert.ok(!forgets || node.disk.punched.length > 0)
      reader.close()
      await swarm.close()
      return rate
    }),
  )
  const [forgot = 0, kept = 0] = starts
  assert.ok(forgot > 0.93 * kept, `${forgot} of ${kept} bytes/s`)
})
