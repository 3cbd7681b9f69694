// Files that commands write: never over another, and whole or not at all.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { writeOutput } from '../../../src/cli/output-file.ts'

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-output-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a file that is there stays as it is', async t => {
  const path = join(folderOf(t), 'a')
  await writeOutput(path, Buffer.from('first'))
  await assert.rejects(writeOutput(path, Buffer.from('second')), /cannot be written/)
  assert.equal(readFileSync(path, 'utf8'), 'first')
})

test('what could not be written whole is taken away', async t => {
  const folder = folderOf(t)
  const module = new URL('../../../src/cli/output-file.js', import.meta.url).href
  const script = `
    // Without a listener the signal of the limit ends the process.
    process.on('SIGXFSZ', () => {})
    const { writeOutput } = await import(${JSON.stringify(module)})
    await writeOutput('whole', Buffer.alloc(100))
    await writeOutput('part', Buffer.alloc(10_000_000)).catch(error => console.log(error.message))
    process.exit()`
  writeFileSync(join(folder, 'script.mjs'), script)
  const limited = `ulimit -f 1000; exec "$0" script.mjs`
  const { stdout } = await promisify(execFile)('bash', ['-c', limited, process.execPath], { cwd: folder })
  assert.match(stdout, /cannot be written: .*(EFBIG|too large)/)
  assert.deepEqual(readdirSync(folder).toSorted(), ['script.mjs', 'whole'])
})
