// The catalogue of channels with a million torrents: how fast signed records go in, how fast searches and lists come
// out, what it takes of memory and disk, and how long turns of the main loop are while 1,000 records a second come in.
// The thread checks every signature; they are made here, while it works on those before.

import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { infoHashFromBytes } from '../../../../src/base/ids.ts'
import { Catalogue } from '../../../../src/chapters/channels/catalogue/catalogue.ts'
import { nodeEd25519 } from '../../../../src/io/ed25519.ts'
import { encodeHead } from '../../../../src/chapters/channels/wire/head-codec.ts'
import { channelIdOf } from '../../../../src/chapters/channels/wire/ids.ts'
import { encodeRecord } from '../../../../src/chapters/channels/wire/record-codec.ts'
import { treeRoot } from '../../../../src/chapters/channels/wire/tree.ts'
import type { ChannelRecord, RecordContent } from '../../../../src/chapters/channels/wire/types.ts'
import { residentMiB } from '../../../kit/nodes/resident-memory.ts'
import { NameSource } from './catalogue-words.ts'
import { type Flow, runAlone } from '../../../../bench/lib/flow.ts'
import type { FlowOptions } from '../../../../bench/lib/flow-result.ts'
import { type CaseResult, type Figures, OURS } from '../../../../bench/lib/samples.ts'

const TORRENTS = 1_000_000
const CHANNEL_TORRENTS = 10_000
const QUERIES = 1000
const INSERT_SECONDS = 10
const INSERTS_PER_SECOND = 1000
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const DELAY_RESOLUTION_MS = 5

/** A channel's owner who signs quickly. */
class Owner {
  readonly publicKey: Uint8Array
  readonly #key: KeyObject
  #clock = 0

  constructor(names: NameSource) {
    const seed = names.bytes(32)
    this.publicKey = nodeEd25519.publicKey(seed)
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  }

  readonly sign = (bytes: Uint8Array): Uint8Array => sign(null, bytes, this.#key)

  record(content: RecordContent, timeS: number): ChannelRecord {
    const channel = channelIdOf(this.publicKey)
    return encodeRecord({ channel, author: this.publicKey, clock: ++this.#clock, timeS, content }, this.sign)
  }

  torrent(names: NameSource): ChannelRecord {
    const name = names.name()
    const infoHash = infoHashFromBytes(names.bytes(20))
    const files = [{ path: `${name}.mkv`, size: 700_000_000 }]
    const trackers = ['udp://tracker.example:1337/announce']
    const rest = { description: '', size: 700_000_000, files, fileCount: 1, trackers, category: 'video' }
    return this.record({ kind: 'torrent', infoHash, name, ...rest }, nowS() - names.below(30_000_000))
  }
}

function nowS(): number {
  return Math.floor(Date.now() / 1000)
}

/** Signed records of a channel, its own first. */
function channelOf(owner: Owner, names: NameSource, torrents: number): ChannelRecord[] {
  const info = owner.record({ kind: 'channel', name: names.name(), description: names.name(), mode: 'closed' }, nowS())
  return [info, ...Array.from({ length: torrents }, () => owner.torrent(names))]
}

async function takeChannel(
  { network, library }: Catalogue,
  owner: Owner,
  records: readonly ChannelRecord[],
): Promise<void> {
  const channel = channelIdOf(owner.publicKey)
  const ids = records.map(({ id }) => id)
  const { publicKey } = owner
  const head = { publicKey, sequence: 1, records: ids.length, root: treeRoot(ids), timeS: nowS(), pack: null }
  await library.subscribe(channel, true)
  await network.offerHead(encodeHead(head, owner.sign), 'bench')
  await network.offerRecords(
    channel,
    records.map(({ bytes }) => bytes),
    'wanted',
    'bench',
  )
  if (!(await network.adopt(encodeHead(head, owner.sign), { added: ids, removed: [], whole: true }))) {
    throw new Error('a channel was not adopted')
  }
}

async function fill(catalogue: Catalogue, names: NameSource, torrents: number): Promise<Figures> {
  const beganMs = performance.now()
  let taken: Promise<void> = Promise.resolve()
  for (let done = 0; done < torrents; done += CHANNEL_TORRENTS) {
    const owner = new Owner(names)
    const records: ChannelRecord[] = []
    const count = Math.min(CHANNEL_TORRENTS, torrents - done)
    // The thread's answers are read between pieces.
    const info = channelOf(owner, names, 0)
    records.push(...info)
    while (records.length <= count) {
      for (let n = 0; n < 100 && records.length <= count; n++) records.push(owner.torrent(names))
      await new Promise(setImmediate)
    }
    await taken
    taken = takeChannel(catalogue, owner, records)
    taken.catch(() => undefined)
    if (done % 100_000 === 0)
      process.stderr.write(`${done} torrents after ${Math.round((performance.now() - beganMs) / 1000)} s\n`)
  }
  await taken
  // What was adopted is shown when it has been judged.
  while ((await catalogue.library.counts()).torrents < torrents) await new Promise(done => setTimeout(done, 50))
  return { 'records/s': torrents / ((performance.now() - beganMs) / 1000) }
}

/** Times of `count` calls one after the other. */
async function times(count: number, call: () => Promise<unknown>): Promise<Figures> {
  const took: number[] = []
  for (let n = 0; n < count; n++) {
    const beganMs = performance.now()
    await call()
    took.push(performance.now() - beganMs)
  }
  took.sort((one, other) => one - other)
  const at = (share: number): number => took[Math.floor(took.length * share)] ?? Number.NaN
  return { 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'p99 ms': at(0.99) }
}

/** Another owner's channel grows by so many records a second while users search. */
async function insertEvenly(catalogue: Catalogue, names: NameSource): Promise<Figures> {
  const owner = new Owner(names)
  const channel = channelIdOf(owner.publicKey)
  const records = channelOf(owner, names, INSERT_SECONDS * INSERTS_PER_SECOND)
  await catalogue.library.subscribe(channel, true)
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  delay.enable()
  const searches: number[] = []
  const beganMs = performance.now()
  const offers: Promise<unknown>[] = []
  for (let tick = 0; tick < INSERT_SECONDS * 20; tick++) {
    const some = records.slice(tick * 50, tick * 50 + 50).map(({ bytes }) => bytes)
    // Wanted ones are checked and stored; extras would be judged by rules that a made-up channel has not.
    offers.push(catalogue.network.offerRecords(channel, some, 'wanted', 'bench'))
    const searchedMs = performance.now()
    await catalogue.library.search(`${names.word()} ${names.word()}`, 50, true)
    searches.push(performance.now() - searchedMs)
    const restMs = beganMs + (tick + 1) * 50 - performance.now()
    if (restMs > 0) await new Promise(done => setTimeout(done, restMs))
  }
  await Promise.all(offers)
  const seconds = (performance.now() - beganMs) / 1000
  delay.disable()
  searches.sort((one, other) => one - other)
  return {
    'records/s': (INSERT_SECONDS * INSERTS_PER_SECOND) / seconds,
    'p95 ms': searches[Math.floor(searches.length * 0.95)] ?? Number.NaN,
    'loop p99 ms': Math.max(0, delay.percentile(99) / 1e6 - DELAY_RESOLUTION_MS),
    'loop max ms': Math.max(0, delay.max / 1e6 - DELAY_RESOLUTION_MS),
  }
}

async function size(folder: string): Promise<Figures> {
  const bytes = async (name: string): Promise<number> =>
    stat(join(folder, name)).then(
      ({ size: found }) => found,
      () => 0,
    )
  const disk = (await bytes('catalogue.db')) + (await bytes('catalogue.db-wal'))
  return { 'RSS MiB': residentMiB(process.pid), 'disk MiB': disk / 2 ** 20 }
}

async function measure(folder: string, torrents: number): Promise<CaseResult[]> {
  const catalogue = await Catalogue.open({ path: join(folder, 'catalogue.db') })
  try {
    const names = new NameSource(1)
    const filled = await fill(catalogue, names, torrents)
    const { library } = catalogue
    const [first] = await library.subscribed()
    if (first === undefined) throw new Error('nothing is subscribed to')
    const found = (text: string): Promise<unknown> => library.search(text, 50, true)
    const cases: [string, CaseResult['primary'], Figures][] = [
      [`${torrents} torrents go in`, 'records/s', { ...filled, ...(await size(folder)) }],
      ['search of one word', 'p95 ms', await times(QUERIES, () => found(names.word()))],
      ['search of two words', 'p95 ms', await times(QUERIES, () => found(`${names.word()} ${names.word()}`))],
      ['search of a prefix', 'p95 ms', await times(QUERIES, () => found(`${names.prefix()}*`))],
      ['completions', 'p95 ms', await times(QUERIES, () => library.completions(names.prefix(), 5, true))],
      [
        `list of ${CHANNEL_TORRENTS} torrents`,
        'p95 ms',
        await times(50, () => library.torrents(first.dispersy_cid, true)),
      ],
      ['list of channels', 'p95 ms', await times(100, () => library.discovered(true))],
      ['while 1,000 records/s go in', 'loop p99 ms', await insertEvenly(catalogue, names)],
    ]
    return cases.map(([id, primary, figures]) => ({ id, primary, results: [{ client: OURS, runs: [figures] }] }))
  } finally {
    await catalogue.close(60_000)
  }
}

export const catalogue: Flow = {
  name: 'catalogue',
  async run(options: FlowOptions) {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-catalogue-'))
    try {
      const cases = await measure(folder, options.counts?.[0] ?? TORRENTS)
      return { title: 'The catalogue of channels', cases, notes: [] }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

await runAlone(catalogue, import.meta.url)
