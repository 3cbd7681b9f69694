// What the catalogue's tables show of a channel is what fold.ts makes of the records that are stored, whatever order
// they came in.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { recordIdFromBytes } from '../../../../../src/chapters/channels/wire/ids.ts'
import { foldChannel, type ChannelView } from '../../../../../src/chapters/channels/wire/fold.ts'
import { keyOf } from '../../../../../src/chapters/channels/wire/rights.ts'
import { decodeRecord } from '../../../../../src/chapters/channels/wire/record-codec.ts'
import { treeRoot } from '../../../../../src/chapters/channels/wire/tree.ts'
import type {
  ChannelRecord,
  RecordContent,
  RecordId,
  RecordKind,
} from '../../../../../src/chapters/channels/wire/types.ts'
import { type InlineCatalogue, openInlineCatalogue } from '../../kit/open-catalogue.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { temporaryFolder } from '../../../../unit/records/records-kit.ts'
import { Author, NOW_MS, NOW_S, torrentOf } from './catalogue-kit.ts'

const OWNER = new Author(1)
const WRITERS = [OWNER, new Author(2), new Author(3)]
const CID = OWNER.channel

/** Draws contents about what was written before. */
class Drawer {
  readonly written: ChannelRecord[] = []
  readonly #random: SeededRandom

  constructor(random: SeededRandom) {
    this.#random = random
  }

  below(n: number): number {
    return this.#random.below(n)
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T
  }

  record(): ChannelRecord {
    const author = this.written.length === 0 ? OWNER : this.one(WRITERS)
    // Few clocks and times, so that there are twins and draws.
    const record = author.record(CID, 1 + this.below(150), this.#content(author), NOW_S - this.below(4))
    this.written.push(record)
    return record
  }

  /** Something written before; mostly by `author` and of one of `kinds`. */
  #target(author: Author, ...kinds: RecordKind[]): RecordId {
    const fitting = this.written.filter(
      record => kinds.includes(record.content.kind) && keyOf(record.author) === author.hex,
    )
    if (fitting.length > 0 && this.below(4) > 0) return this.one(fitting).id
    return this.written.length === 0 ? ('0'.repeat(64) as RecordId) : this.one(this.written).id
  }

  #content(author: Author): RecordContent {
    const text = (): string | null => this.one([null, `text ${this.below(9)}`])
    if (this.written.length === 0) return { kind: 'channel', name: 'first', description: '', mode: 'open' }
    const kind = author === OWNER ? this.below(11) : this.below(8)
    if (kind === 0 || kind === 2) return torrentOf(this.below(15), { name: `name ${this.below(99)}` })
    if (kind === 3) return { kind: 'playlist', name: `list ${this.below(99)}`, description: '' }
    const playlist =
      this.written.findLast(({ content }) => content.kind === 'playlist')?.id ?? this.#target(author, 'playlist')
    if (kind === 4) return { kind: 'entry', playlist, infoHash: torrentOf(this.below(15)).infoHash }
    if (kind === 5 || (kind === 1 && this.below(2) === 0))
      return {
        kind: 'edit',
        target: this.#target(author, 'torrent', 'playlist'),
        name: text() ?? 'a',
        description: text(),
      }
    if (kind === 6 || kind === 1)
      return { kind: 'deletion', targets: [this.#target(author, 'edit', 'torrent', 'comment', 'entry')] }
    if (kind === 7)
      return {
        kind: 'comment',
        target: this.one([null, this.#target(author, 'torrent', 'playlist')]),
        text: `said ${this.below(99)}`,
      }
    const mode = this.one(['open', 'open', 'open', 'semi-open', 'closed'] as const)
    if (kind === 8 || kind === 9) return { kind: 'channel', name: `channel ${this.below(9)}`, description: '', mode }
    const contributor = this.one(WRITERS).publicKey
    return { kind: 'grant', contributor, add: this.below(2) === 1, moderate: this.below(2) === 1 }
  }
}

function storedIn(folder: string): {
  held: ChannelRecord[]
  extras: ChannelRecord[]
  rows: Map<number, RecordId>
  taken: RecordId[]
} {
  const database = new Database(join(folder, 'catalogue.db'), { readonly: true })
  try {
    const text = 'SELECT id, role, counted, hash, bytes FROM records WHERE role <> 2'
    const all = database.prepare(text).all() as {
      id: number
      role: number
      counted: number
      hash: Uint8Array
      bytes: Uint8Array
    }[]
    const records = (held: boolean): ChannelRecord[] =>
      all.filter(({ role }) => (role === 0) === held).map(({ bytes }) => decodeRecord(bytes))
    const rows = new Map(all.map(({ id, hash }) => [id, recordIdFromBytes(hash)]))
    const taken = all
      .filter(({ role, counted }) => role !== 0 && counted === 1)
      .map(({ hash }) => recordIdFromBytes(hash))
    return { held: records(true), extras: records(false), rows, taken }
  } finally {
    database.close()
  }
}

async function compare(catalogue: InlineCatalogue, folder: string, said: string): Promise<ChannelView> {
  const { held, extras, rows, taken } = storedIn(folder)
  const view = foldChannel({ channel: CID, held, extras })
  const { library } = catalogue
  const channel = await library.channel(CID)
  assert.equal(channel.name, view.name === '' ? 'Unnamed channel' : view.name, said)
  assert.equal(channel.mode, view.mode, said)
  const wholeSet = ((await catalogue.network.known(CID))?.heldSequence ?? 0) > 0
  if (wholeSet) assert.equal(channel.modified, view.modifiedS, `${said}: modified`)
  assert.deepEqual(taken.sort(), [...view.taken].sort(), `${said}: extras that count`)
  const torrents = await library.newest(CID, 1000, false)
  const flat = (list: readonly { name: string; description: string }[], hash: (one: never) => string): string[] =>
    list.map(one => `${hash(one as never)} ${one.name} ${one.description}`).sort()
  assert.deepEqual(
    flat(torrents, (one: { infohash: string }) => one.infohash),
    flat(view.torrents, (one: { infoHash: string }) => one.infoHash),
    `${said}: torrents`,
  )
  assert.equal((await library.search('name* ', 1000, false)).torrents.length <= view.torrents.length, true)
  const playlists = await library.playlists(CID, false)
  assert.deepEqual(
    playlists.map(list => [rows.get(list.id), list.name, list.torrents.map(torrent => torrent.infohash)]),
    view.playlists.map(list => [list.record, list.name, [...list.entries]]),
    `${said}: playlists`,
  )
  const comments = await library.comments(CID)
  assert.deepEqual(
    comments.map(({ id, text, author }) => [rows.get(id), text, author]),
    view.comments.map(({ record, text, author }) => [record, text, author]),
    `${said}: comments`,
  )
  const grants = (await library.grants(CID)).map(
    ({ contributor, add, moderate }) => `${contributor} ${add} ${moderate}`,
  )
  assert.deepEqual(
    grants.sort(),
    [...view.grants].map(([key, { add, moderate }]) => `${key} ${add} ${moderate}`).sort(),
    said,
  )
  const root = Buffer.from(treeRoot(held.map(({ id }) => id))).toString('hex')
  const known = await catalogue.network.known(CID)
  if (known !== null && known.heldSequence > 0 && known.head?.sequence === known.heldSequence) {
    assert.equal(Buffer.from(known.head.root).toString('hex'), root, `${said}: root`)
  }
  return view
}

/** Some records come as extras, some in a new head, which keeps, adds and leaves out. */
async function step(catalogue: InlineCatalogue, drawer: Drawer, held: Set<RecordId>, sequence: number): Promise<void> {
  const { network } = catalogue
  const fresh = Array.from({ length: 1 + drawer.below(4) }, () => drawer.record())
  if (drawer.below(3) > 0) {
    await network.offerRecords(
      CID,
      fresh.map(({ bytes }) => bytes),
      'extra',
      'peer',
    )
    return
  }
  const before = [...held]
  const gone = before.filter(() => drawer.below(60) === 0)
  const extras = (await network.extras(CID, 100)).filter(() => drawer.below(2) === 0)
  await network.offerRecords(
    CID,
    fresh.map(({ bytes }) => bytes),
    'wanted',
    'peer',
  )
  const added = [...fresh.map(({ id }) => id), ...extras]
  for (const id of added) held.add(id)
  for (const id of gone) held.delete(id)
  const head = OWNER.head(sequence, [...held])
  const whole = drawer.below(2) === 0
  const change = whole ? { added: [...held], removed: [], whole } : { added, removed: gone, whole }
  assert.equal((await network.offerHead(head, 'peer')) === 'newer' || sequence === 1, true)
  // What left the set and was written again by chance may be gone.
  if (!(await network.adopt(head, change))) {
    assert.equal(
      added.some(id => gone.includes(id)),
      true,
      'a set is adopted',
    )
    held.clear()
    for (const id of before) held.add(id)
  }
}

async function run(t: TestContext, seed: number): Promise<number> {
  const folder = temporaryFolder(t)
  const catalogue = openInlineCatalogue(t, () => NOW_MS, { folder })
  const drawer = new Drawer(new SeededRandom(seed))
  await catalogue.library.subscribe(CID, true)
  const held = new Set<RecordId>()
  let shown = 0
  for (let at = 1; at <= 60; at++) {
    await step(catalogue, drawer, held, at)
    const view = await compare(catalogue, folder, `seed ${seed}, step ${at}`)
    shown += view.torrents.length + view.playlists.length + view.comments.length + view.taken.length
  }
  return shown
}

test('tables and fold agree after each of many changes', async t => {
  let shown = 0
  for (let seed = 1; seed <= 6; seed++) shown += await run(t, seed)
  assert.ok(shown > 1000, `little was shown: ${shown}`)
})
