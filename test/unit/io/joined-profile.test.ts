// Profiles of threads on one line of time: ids, trees, samples and deltas of one profile, nothing lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CpuProfile, joinProfiles, type ProfileNode } from '../../../src/io/process/joined-profile.ts'

function node(id: number, functionName: string, children: number[] = [], hitCount = 0): ProfileNode {
  return {
    id,
    callFrame: {
      functionName,
      scriptId: '1',
      url: functionName.startsWith('(') ? '' : 'x.js',
      lineNumber: 0,
      columnNumber: 0,
    },
    hitCount,
    children,
  }
}

const main: CpuProfile = {
  nodes: [
    node(1, '(root)', [2, 3, 4]),
    node(2, '(idle)', [], 2),
    node(3, 'run', [5], 1),
    node(4, '(program)'),
    node(5, 'step'),
  ],
  startTime: 1000,
  endTime: 2000,
  samples: [2, 5, 3, 2],
  timeDeltas: [100, 200, 300, 100],
}
const worker: CpuProfile = {
  nodes: [node(1, '(root)', [2, 3]), node(2, 'hash', [], 2), node(3, '(idle)', [], 5)],
  startTime: 1500,
  endTime: 2500,
  samples: [2, 3],
  timeDeltas: [50, 400],
}

test('threads follow each other, each under a frame of its own', () => {
  const joined = joinProfiles([
    { name: 'main', profile: main },
    { name: 'worker 1 (pieces)', profile: worker },
  ])
  const byId = new Map(joined.nodes.map(each => [each.id, each]))
  assert.equal(byId.size, joined.nodes.length, 'ids are unique')
  const parent = new Map(joined.nodes.flatMap(each => (each.children ?? []).map(child => [child, each.id] as const)))
  assert.equal(parent.size, joined.nodes.length - 1, 'one tree')
  const path = (id: number): string => {
    const up = parent.get(id)
    const name = byId.get(id)?.callFrame.functionName ?? '?'
    return up === undefined ? name : `${path(up)}/${name}`
  }
  let time = joined.startTime
  const seen = joined.samples.map((id, at) => {
    time += joined.timeDeltas[at] ?? 0
    return `${time} ${path(id)}`
  })
  assert.deepEqual(seen, [
    '1100 (root)/(idle)',
    '1300 (root)/[main]/run/step',
    '1600 (root)/[main]/run',
    '1700 (root)/(idle)',
    // 1,000 µs later than the time of the worker itself began: where the main thread's ended.
    '2050 (root)/[worker 1 (pieces)]/hash',
    '2450 (root)/(idle)',
  ])
  assert.equal(joined.endTime, 3000)
  assert.equal(joined.nodes.find(each => each.callFrame.functionName === '(idle)')?.hitCount, 7)
})

test('threads without samples and no threads at all', () => {
  const empty: CpuProfile = { nodes: [node(1, '(root)')], startTime: 10, endTime: 20 }
  const joined = joinProfiles([
    { name: 'a', profile: empty },
    { name: 'b', profile: worker },
  ])
  assert.deepEqual(joined.timeDeltas, [60, 400])
  assert.equal(joined.endTime - joined.startTime, 1010)
  assert.deepEqual(joinProfiles([]).samples, [])
})
