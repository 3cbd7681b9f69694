// The log: JSON lines in the file, levels that change, secrets that never appear.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Secret } from '../../../src/base/secret.ts'
import { openLog } from '../../../src/io/process/log.ts'

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

test('a part of a part names itself alone: no key stands in a line twice', () => {
  withFolder(file => {
    const log = openLog({ level: 'info', file, stderr: false })
    log.part('channels').part('overlay').info('hello')
    const text = readFileSync(file, 'utf8')
    assert.equal(text.match(/"part":/g)?.length, 1, text)
    assert.match(text, /"part":"overlay"/)
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
    log.hide(new Secret(secret))
    log.info(`GET /x?key=${secret}`, { headers: { 'x-api-key': secret }, error: new Error(secret) })
    const text = readFileSync(file, 'utf8')
    assert.equal(text.includes(secret), false)
    assert.match(text, /key=\*\*\*/)
    log.close()
  })
})

test('a log that has grown too large is turned over, at start and while it runs', () => {
  withFolder(file => {
    openLog({ level: 'info', file, stderr: false }).close()
    writeFileSync(file, '')
    truncateSync(file, 17 * 1024 * 1024)
    const log = openLog({ level: 'info', file, stderr: false })
    log.info('new')
    assert.equal(statSync(`${file}.1`).size, 17 * 1024 * 1024)
    assert.equal(lines(file).length, 1)
    assert.deepEqual(log.files, [file, `${file}.1`, `${file}.2`, `${file}.3`])
    const long = 'x'.repeat(1024 * 1024)
    for (let at = 0; at < 100; at++) log.info(long)
    const names = readdirSync(path.dirname(file)).toSorted()
    assert.deepEqual(names, ['node.log', 'node.log.1', 'node.log.2', 'node.log.3'])
    for (const name of names) assert.ok(statSync(path.join(path.dirname(file), name)).size <= 18 * 1024 * 1024)
    for (const name of names) assert.equal(statSync(path.join(path.dirname(file), name)).mode & 0o777, 0o600)
    log.close()
    log.info('to nobody')
  })
})

test('parts have levels of their own', () => {
  withFolder(file => {
    const log = openLog({ level: 'warn', levels: new Map([['dht', 'debug']]), file, stderr: false })
    const [dht, tracker] = [log.part('dht'), log.part('tracker')]
    dht.debug('one')
    tracker.info('unseen')
    log.setLevel('error', new Map([['tracker', 'info']]))
    dht.warn('unseen')
    tracker.info('two')
    log.part('tracker').info('three')
    log.setLevel('info')
    tracker.debug('unseen')
    dht.info('four')
    assert.deepEqual(
      lines(file).map(line => line['msg']),
      ['one', 'two', 'three', 'four'],
    )
    log.close()
  })
})

test('addresses of others are tags from info on, and addresses for who looks for a fault', () => {
  withFolder(file => {
    const log = openLog({ level: 'debug', file, stderr: false })
    log.info('peer 203.0.113.7:6881 went', { error: new Error('connect ECONNREFUSED 203.0.113.7:6881') })
    log.warn('peer', { ip: '198.51.100.1', gateway: '192.168.1.1' })
    log.debug('peer 203.0.113.7:6881')
    const text = readFileSync(file, 'utf8').split('\n')
    const [tag] = /address-[0-9a-f]{8}/.exec(text[0] ?? '') ?? []
    assert.ok(tag !== undefined && !text[0]?.includes('203.0.113'))
    assert.equal(text[0]?.split(tag).length, 3, 'the message and the error')
    assert.ok(text[1]?.includes('192.168.1.1') && !text[1].includes('198.51') && !text[1].includes(tag))
    assert.ok(text[2]?.includes('203.0.113.7'))
    log.close()
  })
})
