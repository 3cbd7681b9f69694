// While wrong keys of an address waited, no key from there was looked at: a guesser that was fast enough on the same
// machine, or behind the same proxy, kept the owner out for as long as it ran.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'

const GUESSES_A_SECOND = 1000
const ASKED = 200

/** Guesses until the second line of figures; the figures at the end. */
async function beside(node: NodeProcess, work: () => Promise<void>): Promise<Record<string, number>> {
  const program = fileURLToPath(new URL('../../kit/nodes/key-guesser.js', import.meta.url))
  const guesser = spawn(process.execPath, [program, String(node.port), String(GUESSES_A_SECOND)])
  let figures: Record<string, number> = {}
  const lines = createInterface({ input: guesser.stdout })
  const line = async (): Promise<void> => {
    const [text] = (await new Promise<string[]>(resolve => lines.once('line', (...got: string[]) => resolve(got)))) as [
      string,
    ]
    figures = JSON.parse(text) as Record<string, number>
  }
  try {
    // As many wait as may.
    while ((figures['503'] ?? 0) < 100) await line()
    await work()
    await line()
    return figures
  } finally {
    guesser.kill('SIGKILL')
  }
}

test('200 of 200 requests with the known key are answered beside 1,000 guesses a second; a first use waits', async () => {
  const node = await startNode()
  try {
    const { key: fresh } = (await node.request('PUT', '/keys', { name: 'fresh', scopes: ['read'] })).json<{
      key: string
    }>()
    assert.equal((await node.request('GET', '/state')).status, 200)
    const statuses: Record<string, number> = {}
    const firstUse: number[] = []
    const figures = await beside(node, async () => {
      for (let n = 0; n < ASKED; n++) {
        const { status } = await node.request('GET', '/state')
        statuses[status] = (statuses[status] ?? 0) + 1
        if (n % 20 === 0) firstUse.push((await node.request('GET', '/state', undefined, { 'x-api-key': fresh })).status)
        await turn()
      }
    })
    assert.deepEqual(statuses, { 200: ASKED })
    assert.ok(
      firstUse.includes(503),
      `a key that was not used here before is judged while guesses wait: ${firstUse.join()}`,
    )
    assert.ok((figures['503'] ?? 0) > 100, 'nobody guessed')
  } finally {
    await node.stop()
  }
})
