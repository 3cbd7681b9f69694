// A test that fails before it stops its node: the file ends all the same, and the node with it.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { waitFor } from '../kit/wait-for.ts'

const script = `
  const { startNode } = await import(process.argv[1])
  const node = await startNode({ stateDir: process.argv[2] })
  console.log(node.pid)
`

test('a node that nobody stops ends with the process that started it, which it does not hold', async t => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tributary-left-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const kit = new URL('../kit/nodes/node-process.js', import.meta.url).href
  const args = ['--input-type=module', '--eval', script, kit, folder]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
  const pid = Number(stdout)
  assert.ok(pid > 0, stdout)
  await waitFor('the end of the node', () => !isRunning(pid))
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
