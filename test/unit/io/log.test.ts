// The log: JSON lines in the file, levels that change, secrets that never appear.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { openLog } from '../../../src/io/log.ts'

function withFolder(run: (file: string) => void): void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tributary-log-'))
  try {
    run(path.join(folder, 'log', 'node.log'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const lines = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Record<string, unknown>)

test('lines carry level, part, fields and the stack of errors', () => {
  withFolder(file => {
    const log = openLog({ level: 'info', file, stderr: false })
    log.part('session').info('hello', { port: 7, error: new Error('why') })
    log.debug('unseen')
    const [line] = lines(file)
    assert.equal(line?.['msg'], 'hello')
    assert.equal(line?.['part'], 'session')
    assert.equal(line?.['port'], 7)
    assert.match(String(line?.['error']), /^Error: why\n\s+at /)
    assert.equal(lines(file).length, 1)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    log.close()
  })
})

test('the level changes for parts that exist already', () => {
  withFolder(file => {
    const log = openLog({ level: 'error', file, stderr: false })
    const part = log.part('x')
    part.info('unseen')
    log.setLevel('debug')
    part.debug('seen')
    assert.deepEqual(
      lines(file).map(line => line['msg']),
      ['seen'],
    )
    log.close()
  })
})

test('a secret never reaches the file, wherever it stands', () => {
  withFolder(file => {
    const log = openLog({ level: 'info', file, stderr: false })
    const secret = 'c0ffee'.repeat(5)
    log.hide(secret)
    log.info(`GET /x?key=${secret}`, { headers: { 'x-api-key': secret }, error: new Error(secret) })
    const text = readFileSync(file, 'utf8')
    assert.equal(text.includes(secret), false)
    assert.match(text, /key=\*\*\*/)
    log.close()
  })
})

test('a log that has grown too large is turned over at start', () => {
  withFolder(file => {
    openLog({ level: 'info', file, stderr: false }).close()
    writeFileSync(file, '')
    truncateSync(file, 33 * 1024 * 1024)
    const log = openLog({ level: 'info', file, stderr: false })
    log.info('new')
    assert.equal(statSync(`${file}.1`).size, 33 * 1024 * 1024)
    assert.equal(lines(file).length, 1)
    log.close()
  })
})
