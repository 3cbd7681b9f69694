// Downloads that are watched and forgotten, beside others over the same files, files that lay there, and hard links of
// a library: whatever is added, read, switched, moved, linked and restarted, in whichever order, and however clocks
// jump, no byte changes or goes that is not of a forgetting download's own making and alone with it. By real files;
// what is done follows from a seed. FORGET_SEEDS=from-to runs others, FORGET_STEPS=n longer.

import assert from 'node:assert/strict'
import { existsSync, fstatSync, linkSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../src/base/errors.ts'
import type { InfoHash } from '../../src/base/ids.ts'
import { nativeMissing } from '../kit/native-hashes.ts'
import { LoopbackNode } from '../kit/nodes/loopback-node.ts'
import { waitFor } from '../kit/wait-for.ts'
import { KIB, HOUR_MS, film, torrents, metainfos, World, inodeOf } from './forget-world.ts'

const STEPS = Number(process.env['FORGET_STEPS'] ?? 40)
const [FROM = 5, TO = 9] = (process.env['FORGET_SEEDS'] ?? '').split('-').filter(Boolean).map(Number)

/**
 * What users, programs and time do, to a download that is drawn or the one that is named. Each says what it did, or
 * null: there was nothing to do it to.
 */
const steps: Record<string, (world: World, which?: InfoHash) => Promise<string | null> | string | null> = {
  async add(world) {
    const made = world.pick(torrents.filter(({ infoHash }) => !world.records.rows.has(infoHash)))
    const inside = join(world.root, 'a', 'show')
    const folders = [join(world.root, 'a'), join(world.root, 'b'), ...(existsSync(inside) ? [inside] : [])]
    const destination = world.pick(folders)
    if (made === undefined || destination === undefined) return null
    const forgets = world.random.below(3) > 0
    await world.node.downloads.addFile(made.torrent, { destination, watch_and_forget: forgets })
    await world.node.settled()
    await world.connect()
    return `${forgets ? 'forgetting' : 'ordinary'} ${made.infoHash.slice(0, 4)} in ${destination.slice(world.root.length)}`
  },

  async read(world, infoHash) {
    const row = infoHash === undefined ? world.pick(world.rows) : world.records.rows.get(infoHash)
    const made = torrents.find(({ infoHash }) => infoHash === row?.infoHash)
    if (row === undefined || made === undefined) return null
    const at = world.random.below(film.length - 64 * KIB)
    const what = `read ${row.infoHash.slice(0, 4)} at ${at}`
    try {
      const file = await world.node.downloads.streamable(row.infoHash, '0', new AbortController())
      const reader = file.openReader()
      const slot = world.node.engine.rangeArena.lease()
      assert.ok(slot)
      try {
        const waits = Promise.resolve(reader.waitFor(at)).then(() => true)
        waits.catch(() => undefined)
        const late = new Promise<boolean>(resolve => {
          setTimeout(resolve, 1000, false)
        })
        if (!(await Promise.race([waits, late]))) return `${what} in vain`
        const count = await reader.read(at, 16 * KIB, slot)
        const same = Buffer.compare(slot.bytes.subarray(0, count), film.subarray(at, at + count)) === 0
        assert.ok(same, `wrong bytes at ${at}`)
      } finally {
        reader.close()
        world.node.engine.rangeArena.release(slot)
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return `${what}: ${error.code}`
    }
    // Now and then what is done next comes while pieces go.
    if (world.random.below(3) > 0) await world.cached(row.infoHash)
    return what
  },

  async switch(world) {
    const row = world.pick(world.rows)
    if (row === undefined) return null
    const on = !world.isForgetting(row.infoHash)
    await world.node.downloads.patch(row.infoHash, { watch_and_forget: on }).catch(passOver)
    return `${row.infoHash.slice(0, 4)} ${on ? 'forgets' : 'keeps'}`
  },

  async run(world) {
    const row = world.pick(world.rows)
    if (row === undefined) return null
    const state = world.pick(['stop', 'resume', 'resume', 'recheck'] as const)
    await world.node.downloads.patch(row.infoHash, { state }).catch(passOver)
    await world.node.settled()
    return `${state} ${row.infoHash.slice(0, 4)}`
  },

  async move(world) {
    const row = world.pick(world.rows)
    const made = torrents.find(({ infoHash }) => infoHash === row?.infoHash)
    const destination = join(world.root, world.pick(['a', 'b']) ?? 'a')
    if (row === undefined || made === undefined) return null
    // Who has files in common with others takes them along, as any download.
    if (world.paths(made, row.destination).some(path => world.usersOf(path).length > 1)) return null
    await world.node.downloads.patch(row.infoHash, { destination }).catch(passOver)
    await waitFor('moved', () => {
      const { movingTo, movedFrom } = world.records.rows.get(row.infoHash) ?? { movingTo: null, movedFrom: null }
      return movingTo === null && movedFrom === null
    })
    return `${row.infoHash.slice(0, 4)} to ${destination.slice(world.root.length)}`
  },

  /** A file of the user, at a place that a torrent may come to. */
  lay(world) {
    const made = world.pick(torrents)
    const folder = join(world.root, world.pick(['a', 'b']) ?? 'a')
    const path = made === undefined ? undefined : world.pick(world.paths(made, folder))
    if (made === undefined || path === undefined || existsSync(path)) return null
    const parts = world.fileParts(made, folder, path)
    // What differs in a place that a download has noted as its own is written over, as of any download.
    const isFree = !world.rows.some(row => {
      const other = torrents.find(({ infoHash }) => infoHash === row.infoHash)
      return other !== undefined && world.paths(other, row.destination).includes(path)
    })
    const kind = world.pick(isFree ? (['whole', 'half', 'other'] as const) : (['whole', 'half'] as const))
    const bytes = Buffer.concat(
      parts.map(({ bytes: right }, i) => {
        if (kind === 'other') return Buffer.alloc(right.length, 7)
        return kind === 'half' && i % 2 === 1 ? Buffer.alloc(right.length) : right
      }),
    )
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    const laid = kind === 'other' ? [{ at: 0, bytes }] : parts
    world.makers.set(inodeOf(path) ?? '', null)
    world.keep(`a file of the user (${kind})`, path, laid)
    return `laid ${kind} ${path.slice(world.root.length)}`
  },

  /** A library takes a file of a download by a hard link. */
  link(world) {
    const row = world.pick(world.rows)
    const made = torrents.find(({ infoHash }) => infoHash === row?.infoHash)
    const path = row === undefined || made === undefined ? undefined : world.pick(world.paths(made, row.destination))
    if (row === undefined || made === undefined || path === undefined || !existsSync(path)) return null
    const name = join(world.root, 'library', `${world.kept.length}`)
    linkSync(path, name)
    world.keep('a link of the library', name, world.fileParts(made, row.destination, path))
    return `linked ${path.slice(world.root.length)}`
  },

  /** The user takes a file away, to where no download is. */
  take(world) {
    const row = world.pick(world.rows)
    const made = torrents.find(({ infoHash }) => infoHash === row?.infoHash)
    const path = row === undefined || made === undefined ? undefined : world.pick(world.paths(made, row.destination))
    if (row === undefined || made === undefined || path === undefined || !existsSync(path)) return null
    if (!world.isForgetting(row.infoHash)) return null
    if (world.usersOf(path).length > 1) return null
    const name = join(world.root, 'library', `taken ${world.kept.length}`)
    renameSync(path, name)
    world.taken.add(row.infoHash)
    world.keep('taken away by the user', name, world.fileParts(made, row.destination, path))
    return `took ${path.slice(world.root.length)}`
  },

  /** Another program puts a copy of its own in the place of a file. */
  replace(world) {
    const row = world.pick(world.rows)
    const made = torrents.find(({ infoHash }) => infoHash === row?.infoHash)
    const path = row === undefined || made === undefined ? undefined : world.pick(world.paths(made, row.destination))
    if (row === undefined || made === undefined || path === undefined || !existsSync(path)) return null
    if (world.kept.some(({ fd }) => fstatSync(fd).ino === statSync(path).ino)) return null
    const parts = world.fileParts(made, row.destination, path)
    const copy = join(world.root, 'copy')
    writeFileSync(copy, Buffer.concat(parts.map(({ bytes }) => bytes)))
    renameSync(copy, path)
    world.makers.set(inodeOf(path) ?? '', null)
    world.keep('a copy that another program made', path, parts)
    return `replaced ${path.slice(world.root.length)}`
  },

  async remove(world, infoHash) {
    const row = infoHash === undefined ? world.pick(world.rows) : world.records.rows.get(infoHash)
    const made = torrents.find(({ infoHash }) => infoHash === row?.infoHash)
    if (row === undefined || made === undefined) return null
    const removed = await world.node.downloads.remove(row.infoHash, false).catch(passOver)
    // Its hours were over just now.
    if (removed === undefined) return null
    world.taken.delete(row.infoHash)
    // From now on what is in its place is the user's, whoever made it.
    for (const path of world.paths(made, row.destination))
      if (existsSync(path)) world.keep('left by a download', path, world.fileParts(made, row.destination, path))
    return `removed ${row.infoHash.slice(0, 4)}`
  },

  /** Another download of the film comes to the place of one that forgets, is done, and is removed: its files stay. */
  async finish(world) {
    const row = world.pick(world.rows.filter(({ infoHash }) => world.isForgetting(infoHash)))
    const mine = torrents.find(({ infoHash }) => infoHash === row?.infoHash)
    if (row === undefined || mine === undefined) return null
    const path = world.paths(mine, row.destination)[0] ?? ''
    const others = torrents.filter(({ infoHash }) => !world.records.rows.has(infoHash))
    const made = others.find(other => world.paths(other, row.destination)[0] === path)
    // Of its making, and nobody else is there.
    if (made === undefined || world.makers.get(inodeOf(path) ?? '') !== row.infoHash) return null
    if (world.usersOf(path).length > 1) return null
    await world.node.downloads.addFile(made.torrent, { destination: row.destination })
    await world.node.settled()
    await world.connect()
    const isDone = await world.isComplete(made.infoHash)
    const removed = await steps['remove']?.(world, made.infoHash)
    // Whose making it was has it for itself again, and its hours pass.
    await steps['hours']?.(world, row.infoHash)
    return `${made.infoHash.slice(0, 4)} ${isDone ? 'finished' : 'did not finish'} ${path.slice(world.root.length)} and was ${removed}`
  },

  async hours(world, infoHash) {
    const before = world.records.rows.size
    const hours = infoHash === undefined ? (world.pick([1, 12, 25]) ?? 1) : 25
    await world.node.pass(hours)
    world.forgotten += before - world.records.rows.size
    return `${hours} hours`
  },

  async clock(world) {
    const nowMs = world.node.clock.wallMs()
    const young = world.rows.filter(({ readAtMs = nowMs }) => nowMs - readAtMs < 22 * HOUR_MS)
    world.node.clock.setMs += (world.pick([-8760, -30, 30, 8760]) ?? 30) * HOUR_MS
    await world.node.pass(0.5)
    for (const { infoHash } of young) assert.ok(world.records.rows.has(infoHash), 'hours by which the clock was set')
    return 'the clock was set'
  },

  async restart(world) {
    await world.restart()
    return 'restarted'
  },

  /** A folder becomes a link to where its files are now. */
  async relink(world) {
    if (world.relinked) return null
    world.relinked = true
    await world.restart(() => {
      renameSync(join(world.root, 'b'), join(world.root, 'moved'))
      symlinkSync(join(world.root, 'moved'), join(world.root, 'b'))
    })
    return 'b is a link'
  },
}

function passOver(error: unknown): void {
  if (!(error instanceof AppError)) throw error
}

/** How often each is drawn. */
const WEIGHTS: Record<string, number> = { add: 6, read: 10, switch: 4, lay: 3, link: 2, hours: 4, clock: 3, finish: 9 }

const drawn = Object.keys(steps).flatMap(name => Array.from({ length: WEIGHTS[name] ?? 1 }, () => name))

test('nothing but its own', { skip: nativeMissing, timeout: 600_000 }, async t => {
  const seeder = await new LoopbackNode().start()
  t.after(() => seeder.close())
  for (const made of torrents) {
    const folder = join(seeder.folder, made.infoHash)
    const metainfo = metainfos.get(made.infoHash)
    for (const { path, offset, length } of metainfo?.files ?? []) {
      mkdirSync(dirname(join(folder, ...path)), { recursive: true })
      writeFileSync(join(folder, ...path), made.content.subarray(offset, offset + length))
    }
    const handle = seeder.add(made, { destination: folder })
    await waitFor('seeding', () => handle.snapshot().status === 'seeding')
  }
  const sum = { holes: 0, forgotten: 0, kept: 0 }
  for (let seed = FROM; seed <= TO; seed += 1) {
    const world = new World(seed, seeder)
    world.done.push(`seed ${seed}`)
    await world.start()
    try {
      for (let step = 0; step < STEPS; step += 1) {
        const name = world.pick(drawn) ?? 'read'
        const did = await steps[name]?.(world)
        if (did === null || did === undefined) continue
        world.done.push(did)
        world.noteMakers()
        world.check()
      }
      await world.node.pass(30)
      world.check()
    } finally {
      await world.close()
    }
    sum.holes += world.count.holes
    sum.forgotten += world.forgotten
    sum.kept += world.kept.length
  }
  t.diagnostic(`${sum.holes} holes, ${sum.forgotten} forgotten, ${sum.kept} files watched`)
  // Otherwise it would have proven nothing.
  assert.ok(sum.holes > 0 && sum.forgotten > 0 && sum.kept > 0)
})
