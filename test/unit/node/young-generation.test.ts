// The hold on V8's room for new objects: in a process of its own, since flags are the process's.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const module = new URL('../../../src/node/young-generation.js', import.meta.url).href

/** MiB of new space after much was made that survives. */
function grownMiB(prepare: string): number {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { holdYoungGeneration } from ${JSON.stringify(module)}
    ${prepare}
    const kept = []
    for (let i = 0; i < 400_000; i++) kept.push({ i, next: [i] })
    const space = getHeapSpaceStatistics().find(one => one.space_name === 'new_space')
    console.log(kept.length > 0 ? space.space_size / 2 ** 20 : 0)`
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))
}

test('what survives while the room is held does not double it', () => {
  assert.ok(grownMiB('holdYoungGeneration()') <= 4)
})

test('after the hold V8 takes room as ever', () => {
  assert.ok(grownMiB('holdYoungGeneration()()') >= 8)
})
