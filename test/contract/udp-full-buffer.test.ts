// A kernel that has no room for datagrams: they wait, leave in their order when there is room, and none is lost below
// the bound. A loopback device that is slow stands for a line that is.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { nativeFile, nativeMissing } from '../kit/native-hashes.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'

const skip = needs('namespaces', 'tc') || nativeMissing

test('what the kernel has no room for waits and comes in its order', { skip }, () => {
  const script = `ip link set lo up && tc qdisc add dev lo root tbf rate 40mbit burst 64kb limit 8mb && exec "$0" "$@"`
  const flags = process.getuid?.() === 0 ? '-n' : '-Urn'
  const program = join(projectRoot, 'dist/test/kit/shaped-datagrams.js')
  const text = execFileSync('unshare', [flags, 'bash', '-c', script, process.execPath, program, nativeFile], {
    timeout: 30_000,
    encoding: 'utf8',
  })
  const { waited, came, inOrder, lostBefore, lost } = JSON.parse(text) as Record<string, number | boolean>
  assert.ok(Number(waited) > 100_000, `${waited} bytes waited`)
  assert.deepEqual([lostBefore, inOrder], [0, true])
  assert.ok(Number(came) > 1_000, `${came} came`)
  // Of the second turn, which was closed upon.
  assert.ok(Number(lost) > 0)
})
