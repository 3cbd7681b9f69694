// The hold on the room V8 leaves between collections: in a process of its own, since flags are the process's.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const module = new URL('../../../src/node/old-space.js', import.meta.url).href

/** MiB that old space took at most while much lived for a while and died, beside some that stays. */
function grownMiB(prepare: string): number {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { holdOldSpace, oldSpaceInCrowds } from ${JSON.stringify(module)}
    ${prepare}
    const [kept, passing] = [[], new Array(100_000)]
    let most = 0
    for (let i = 0; i < 3_000_000; i++) {
      if (i < 200_000) kept.push({ i, next: [i] })
      passing[i % passing.length] = { i, next: [i] }
      if (i % 50_000 !== 0) continue
      const space = getHeapSpaceStatistics().find(one => one.space_name === 'old_space')
      most = Math.max(most, space.space_size / 2 ** 20)
    }
    console.log(kept.length > 0 ? most : 0)`
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))
}

test('what lives for a while and dies leaves less room behind while it is held, and after the hold as much as ever', () => {
  const free = grownMiB('')
  const held = grownMiB('holdOldSpace()')
  assert.ok(held < 0.7 * free, `${held} of ${free} MiB`)
  const released = grownMiB('holdOldSpace()()')
  assert.ok(released > held * 1.2, `${released} after the hold, ${held} during it`)
})

test('a crowd holds it, and lets go when it has passed', () => {
  const during = grownMiB('oldSpaceInCrowds()(true)')
  const after = grownMiB('const crowd = oldSpaceInCrowds(); crowd(true); crowd(false)')
  assert.ok(after > during * 1.2, `${after} after the crowd, ${during} during it`)
})
