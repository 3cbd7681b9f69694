// A node without torrents, ten seconds after its start: what only the start has used is collected and given back.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { nativeMissing } from '../kit/native-hashes.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

/** What a process holds in memory of files it has mapped, MiB. */
function mappedMib(pid: number): number {
  return Number(/^RssFile:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

test('at rest a node holds half of the code that its start has read', { skip: nativeMissing }, async () => {
  const node = await startNode()
  try {
    const atStart = mappedMib(node.pid)
    await waitFor('memory is given back', () => mappedMib(node.pid) < atStart / 2, 30_000)
    assert.equal((await node.get<{ state: string }>('/state')).state, 'STARTED')
  } finally {
    assert.equal((await node.stop()).code, 0)
  }
})

test('at rest both threads collect what their start has left, before V8 would', { skip: nativeMissing }, async () => {
  const flags = `import v8 from 'node:v8'; v8.setFlagsFromString('--trace-gc')`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(flags)}` }
  const node = await startNode({ env })
  try {
    // V8's own collection of a heap at rest says `(reduce)`.
    const heaps = (): Set<string> => {
      const atRest = node.logs().stdout.split('Ready.').at(-1) ?? ''
      return new Set(Array.from(atRest.matchAll(/^\[\d+:(0x[0-9a-f]+)\].*Mark-Compact \d/gm), found => found[1] ?? ''))
    }
    await waitFor('both heaps are collected', () => heaps().size >= 2, 20_000)
  } finally {
    assert.equal((await node.stop()).code, 0)
  }
})
