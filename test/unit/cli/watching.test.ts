// Where films go on that a command starts, and how places in films are read and shown.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WatchingRecord } from '../../../src/client/core-routes.ts'
import { CommandError, EXIT } from '../../../src/cli/node-client.ts'
import { continued, leftOf, playerArguments } from '../../../src/cli/player.ts'
import { clockText, secondsOf } from '../../../src/cli/watching-commands.ts'

const recordOf = (fileindex: number, continueAt: number, watched = false): WatchingRecord => ({
  fileindex,
  name: '',
  position: continueAt,
  duration: 5400,
  watched,
  continue_at: continueAt,
  time: 1,
})

const links = [4, 5, 6].map(index => ({ url: `http://n/downloads/x/stream/${index}/e.mkv?token=1.x`, sidecars: [] }))

test('a series goes on at the first episode that was not watched, where that was left', () => {
  const left = [recordOf(4, 0, true), recordOf(5, 101.5)]
  const played = continued(links, left)
  assert.deepEqual(
    played.map(({ url, startSec }) => [/stream\/(\d)/.exec(url)?.[1], startSec]),
    [
      ['5', 101.5],
      ['6', undefined],
    ],
  )
  const [five = '', six = ''] = played.map(({ url }) => url)
  assert.deepEqual(playerArguments('mpv', played), ['--{', '--start=101.5', five, '--}', six])
  assert.deepEqual(playerArguments('vlc', played), [five, ':start-time=101', six])
  assert.deepEqual(playerArguments('ffplay', played), [five, six])
})

test('what was watched and begun again goes on; all watched begins again; nothing known changes nothing', () => {
  assert.equal(continued(links, [recordOf(4, 60, true)]).length, 3)
  assert.equal(
    continued(
      links,
      [4, 5, 6].map(index => recordOf(index, 0, true)),
    ).length,
    3,
  )
  assert.deepEqual(continued(links, []), links)
})

test('a key that may not read places, or a node without them, plays from the start; other failures are told', async () => {
  const failing = (code: string, exit: number = EXIT.refused) => ({
    call: () => Promise.reject(new CommandError(`it is ${code}`, exit, code)),
  })
  for (const code of ['ScopeMissing', 'NotFound'])
    assert.deepEqual(await leftOf(failing(code) as never, 'ab'.repeat(20)), [], code)
  for (const [code, exit] of [
    ['DownloadNotFound', EXIT.refused],
    ['Unauthorized', EXIT.key],
    ['', EXIT.unreachable],
  ] as const)
    await assert.rejects(leftOf(failing(code, exit) as never, 'ab'.repeat(20)), { exitCode: exit })
})

test('places in films', () => {
  assert.deepEqual([0, 59.9, 101, 3723].map(clockText), ['0:00', '0:59', '1:41', '1:02:03'])
  assert.deepEqual(['101', '1:41', '1:02:03', '0.5'].map(secondsOf), [101, 101, 3723, 0.5])
  for (const wrong of ['', '-1', '1:', '1:2:3:4', '1h', '9'.repeat(20)])
    assert.throws(() => secondsOf(wrong), /A place must be/, wrong)
})
