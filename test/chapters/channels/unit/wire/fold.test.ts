// What channels show: modes, grants, edits, deletions, duplicates; never depending on the order of records.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { type InfoHash, parseInfoHash } from '../../../../../src/base/ids.ts'
import { type ChannelView, foldChannel } from '../../../../../src/chapters/channels/wire/fold.ts'
import { channelIdOf } from '../../../../../src/chapters/channels/wire/ids.ts'
import { encodeRecord } from '../../../../../src/chapters/channels/wire/record-codec.ts'
import { keyOf } from '../../../../../src/chapters/channels/wire/rights.ts'
import type {
  ChannelMode,
  ChannelRecord,
  RecordContent,
  RecordId,
} from '../../../../../src/chapters/channels/wire/types.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { type SigningKey, signingKey } from '../../../../kit/doubles/signing-key.ts'

const owner = signingKey(1)
const friend = signingKey(2)
const stranger = signingKey(3)
const channel = channelIdOf(owner.publicKey)
const hash = (digit: string): InfoHash => parseInfoHash(digit.repeat(40)) as InfoHash

const clocks = new Map<SigningKey, number>()
let now = 1_000

function write(by: SigningKey, content: RecordContent, clock?: number, timeS = ++now): ChannelRecord {
  const next = clock ?? (clocks.get(by) ?? 0) + 1
  clocks.set(by, next)
  return encodeRecord({ channel, author: by.publicKey, clock: next, timeS, content }, by.sign)
}

const info = (mode: ChannelMode, name = 'Films'): RecordContent => ({ kind: 'channel', name, description: 'd', mode })
const torrent = (digit: string, name = `t${digit}`): RecordContent => ({
  kind: 'torrent',
  infoHash: hash(digit),
  name,
  description: '',
  size: 1,
  files: [],
  fileCount: 1,
  trackers: [],
  category: 'video',
})
const comment = (target: RecordId | null, text = 'c'): RecordContent => ({ kind: 'comment', target, text })
const grant = (to: SigningKey, add: boolean, moderate: boolean): RecordContent => ({
  kind: 'grant',
  contributor: to.publicKey,
  add,
  moderate,
})
const rename = (target: RecordId, name: string): RecordContent => ({ kind: 'edit', target, name, description: null })
const remove = (...targets: RecordId[]): RecordContent => ({ kind: 'deletion', targets })

function view(held: readonly ChannelRecord[], extras: readonly ChannelRecord[] = []): ChannelView {
  return foldChannel({ channel, held, extras })
}

function names(of: ChannelView): string[] {
  return of.torrents.map(shown => shown.name).sort()
}

test('in each mode others may do what it says, and no more', () => {
  const allowed: Readonly<Record<ChannelMode, readonly string[]>> = {
    closed: [],
    'semi-open': ['comment'],
    open: ['torrent', 'entry', 'comment'],
  }
  for (const mode of ['closed', 'semi-open', 'open'] as const) {
    const owns = write(owner, torrent('1'))
    const list = write(owner, { kind: 'playlist', name: 'p', description: '' })
    const extras = [
      write(stranger, torrent('2')),
      write(stranger, { kind: 'entry', playlist: list.id, infoHash: hash('1') }),
      write(stranger, comment(owns.id)),
      write(stranger, { kind: 'playlist', name: 'q', description: '' }),
      write(stranger, info('open', 'Mine')),
      write(stranger, grant(stranger, true, true)),
      write(stranger, rename(owns.id, 'spam')),
      write(stranger, remove(owns.id)),
    ]
    const shown = view([write(owner, info(mode)), owns, list], extras)
    const taken = extras.filter(record => shown.taken.includes(record.id)).map(record => record.content.kind)
    assert.deepEqual(taken, allowed[mode], mode)
    assert.equal(shown.name, 'Films')
    assert.ok(names(shown).includes('t1'))
    assert.equal(shown.playlists.length, 1)
    assert.deepEqual(shown.playlists[0]?.entries, mode === 'open' ? [hash('1')] : [])
  }
})

test('in an open channel everybody edits and deletes what they wrote', () => {
  const theirs = [write(stranger, torrent('2')), write(stranger, torrent('3'))]
  const changes = [
    write(stranger, rename(theirs[0]?.id as RecordId, 'mine')),
    write(stranger, remove(theirs[1]?.id as RecordId)),
  ]
  const others = [
    write(friend, rename(theirs[0]?.id as RecordId, 'not mine')),
    write(friend, remove(theirs[0]?.id as RecordId)),
  ]
  const shown = view([write(owner, info('open'))], [...theirs, ...changes, ...others])
  assert.deepEqual(names(shown), ['mine'])
})

test('those granted add write torrents and playlists, moderators change those of others', () => {
  const held = [write(owner, info('closed')), write(owner, torrent('1')), write(owner, torrent('2'))]
  const [, first, second] = held as [ChannelRecord, ChannelRecord, ChannelRecord]
  const adds = write(owner, grant(friend, true, false))
  const extras = [
    write(friend, torrent('3')),
    write(friend, { kind: 'playlist', name: 'p', description: '' }),
    write(friend, comment(null)),
    write(friend, rename(first.id, 'renamed')),
    write(friend, remove(second.id)),
  ]
  assert.deepEqual(names(view([...held, adds], extras)), ['t1', 't2', 't3'])
  assert.equal(view([...held, adds], extras).playlists.length, 1)
  const moderates = write(owner, grant(friend, true, true))
  assert.deepEqual(names(view([...held, adds, moderates], extras)), ['renamed', 't3'])
  assert.deepEqual(names(view([...held, moderates, adds], extras)), ['renamed', 't3'])
})

test('what a revoked contributor wrote is not shown, but what the owner has taken stays', () => {
  const start = [write(owner, info('closed')), write(owner, grant(friend, true, false))]
  const [early, late] = [write(friend, torrent('1')), write(friend, torrent('2'))]
  assert.deepEqual(names(view([...start, early], [late])), ['t1', 't2'])
  const revoked = write(owner, grant(friend, false, false))
  const shown = view([...start, early, revoked], [late])
  assert.deepEqual(names(shown), ['t1'])
  assert.equal(shown.grants.size, 0)
})

test('of each text the newest edit counts; a deleted edit does not', () => {
  const one = write(owner, torrent('1'))
  const edits = [write(owner, rename(one.id, 'a')), write(owner, rename(one.id, 'b'))]
  const described = write(owner, { kind: 'edit', target: one.id, name: null, description: 'told' })
  const held = [write(owner, info('closed')), one, ...edits, described]
  const shown = view(held)
  assert.deepEqual([shown.torrents[0]?.name, shown.torrents[0]?.description], ['b', 'told'])
  assert.deepEqual(shown.spent, [edits[0]?.id])
  assert.equal(view([...held, write(owner, remove(edits[1]?.id as RecordId))]).torrents[0]?.name, 'a')
})

test('a deleted torrent goes from playlists too, with its comments; grants and the channel record cannot be deleted', () => {
  const made = [write(owner, info('semi-open')), write(owner, grant(friend, true, false)), write(owner, torrent('1'))]
  const list = write(owner, { kind: 'playlist', name: 'p', description: '' })
  const [head, granted, one] = made as [ChannelRecord, ChannelRecord, ChannelRecord]
  const held = [...made, list, write(owner, { kind: 'entry', playlist: list.id, infoHash: hash('1') })]
  const said = write(stranger, comment(one.id))
  assert.equal(view(held, [said]).comments.length, 1)
  const shown = view([...held, write(owner, remove(one.id, head.id, granted.id))], [said])
  assert.deepEqual([shown.torrents, shown.playlists[0]?.entries, shown.comments], [[], [], []])
  assert.equal(shown.name, 'Films')
  assert.ok(shown.grants.get(keyOf(friend.publicKey))?.add)
  assert.ok(shown.spent.includes(one.id) && shown.spent.includes(said.id))
})

test('a torrent is shown once however many wrote it, and of two records with one clock one counts', () => {
  const held = [write(owner, info('open')), write(owner, torrent('1', 'first'))]
  assert.deepEqual(names(view(held, [write(stranger, torrent('1', 'second'), undefined, 1)])), ['first'])
  const twins = [write(stranger, torrent('2', 'x'), 70), write(stranger, torrent('3', 'y'), 70)]
  const smaller = twins[0]!.id < twins[1]!.id ? 'x' : 'y'
  assert.deepEqual(names(view(held, twins)), ['first', smaller].sort())
  assert.deepEqual(names(view([...held, twins[0]!], [twins[1]!])), ['first', 'x'])
})

test('the view does not depend on the order in which records came', () => {
  const one = write(owner, torrent('1'))
  const list = write(owner, { kind: 'playlist', name: 'p', description: '' })
  const held = [write(owner, info('closed')), write(owner, info('open', 'New')), one, list]
  held.push(
    write(owner, rename(one.id, 'r')),
    write(owner, rename(one.id, 's')),
    write(owner, grant(friend, false, true)),
  )
  const extras = ['2', '3', '4'].map(digit => write(stranger, torrent(digit)))
  extras.push(write(friend, remove(extras[0]!.id)), write(friend, comment(one.id)), write(friend, rename(list.id, 'q')))
  const expected = view(held, extras)
  assert.equal(expected.name, 'New')
  const random = new SeededRandom(5)
  for (let turn = 0; turn < 50; turn++) {
    const mixed = (records: readonly ChannelRecord[]) => [...records].sort(() => random.below(3) - 1)
    assert.deepEqual(view(mixed(held), mixed(extras)), expected)
  }
})
