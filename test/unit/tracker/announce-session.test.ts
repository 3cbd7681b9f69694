// The time between a torrent's start and stop.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnnounceSession } from '../../../src/tracker/announce-session.ts'

test('who listens hears of the end once, who left or comes later does not', () => {
  const heard: string[] = []
  const session = new AnnounceSession()
  session.onEnd(() => heard.push('first'))
  const leave = session.onEnd(() => heard.push('gone'))
  session.onEnd(() => heard.push('second'))
  leave()
  leave()
  assert.equal(session.ended, false)
  session.end()
  session.end()
  session.onEnd(() => heard.push('late'))()
  assert.equal(session.ended, true)
  assert.deepEqual(heard, ['first', 'second'])
})
