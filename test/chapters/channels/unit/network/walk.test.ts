// The walk of a tree finds exactly the difference of two sets, whatever their sizes and whatever lies where: leaves
// against inner nodes, branches that come and go; and it ends when no peer gives what is needed.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { WalkFailed, walkTree, type WalkDeps } from '../../../../../src/chapters/channels/network/walk.ts'
import { encodeTreeNode, treeNode, treeRoot } from '../../../../../src/chapters/channels/wire/tree.ts'
import type { ChannelHead, RecordId } from '../../../../../src/chapters/channels/wire/types.ts'
import { askTree } from '../../../../../src/chapters/channels/wire/channel-messages.ts'
import { decodePayload, encodePayload } from '../../../../../src/chapters/overlay/wire/message.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'

const idOf = (index: number): RecordId => createHash('sha256').update(`${index}`).digest('hex') as RecordId

/** One holder that answers from `theirs`, and a catalogue that holds `ours`. */
function depsOf(theirs: readonly RecordId[], ours: readonly RecordId[], random: SeededRandom, gives = true): WalkDeps {
  const peer = { member: 'holder' }
  const deps = {
    random,
    overlay: { pack: encodePayload },
    holders: { holdersOf: () => [peer], isBlamed: () => false, blame: () => assert.fail('nobody lied') },
    catalogue: {
      treeNode: (_: unknown, prefix: string) => {
        const node = treeNode(ours, prefix)
        return Promise.resolve(node === null ? null : { sequence: 1, node })
      },
    },
    requests: {
      room: () => 1,
      ask: (_: unknown, question: { pack(identifier: number): Uint8Array }) => {
        const { prefixes } = decodePayload(askTree, question.pack(1))
        const nodes = prefixes.map(prefix => treeNode(theirs, prefix))
        const items = nodes.flatMap((node, at) =>
          node === null || !gives ? [] : [[at, encodeTreeNode(node)] as const],
        )
        return Promise.resolve({ came: 'whole', items: new Map(items) })
      },
    },
  }
  return deps as unknown as WalkDeps
}

function headOf(ids: readonly RecordId[]): ChannelHead {
  return { channel: 'ab'.repeat(20), sequence: 2, records: ids.length, root: treeRoot(ids) } as unknown as ChannelHead
}

test('of any two sets it finds what is added and what is removed', async () => {
  const random = new SeededRandom(5)
  for (let round = 0; round < 120; round++) {
    const all = Array.from({ length: random.below(round % 3 === 0 ? 60 : 700) }, (_, index) => idOf(index))
    const [mostly, rarely] = [random.below(11), random.below(11)]
    const theirs = all.filter(() => random.below(10) < mostly)
    const ours = all.filter(id => (theirs.includes(id) ? random.below(10) >= rarely : random.below(10) < rarely))
    const { added, removed } = await walkTree(headOf(theirs), true, depsOf(theirs, ours, random))
    const sorted = (ids: readonly RecordId[]): RecordId[] => [...ids].sort()
    assert.deepEqual(sorted(added), sorted(theirs.filter(id => !ours.includes(id))), `round ${round}`)
    assert.deepEqual(sorted(removed), sorted(ours.filter(id => !theirs.includes(id))), `round ${round}`)
  }
})

test('who holds nothing gets all, and asks its own catalogue nothing', async () => {
  const theirs = Array.from({ length: 300 }, (_, index) => idOf(index))
  const deps = depsOf(theirs, [], new SeededRandom(6))
  const silent = { ...deps, catalogue: { treeNode: () => assert.fail('asked') } } as unknown as WalkDeps
  const { added, removed } = await walkTree(headOf(theirs), false, silent)
  assert.deepEqual([added.length, removed.length], [300, 0])
})

test('it ends when nobody gives what is needed', async () => {
  const theirs = [idOf(1)]
  await assert.rejects(walkTree(headOf(theirs), true, depsOf(theirs, [], new SeededRandom(7), false)), WalkFailed)
})
