// What the command says of when a film plays.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mediaText } from '../../../../../src/chapters/media/cli/media-text.ts'
import type { Media } from '../../../../../src/chapters/media/client/routes.ts'

const LATER: NonNullable<Media['forecast']> = {
  state: 'later',
  from: 0,
  start_in: 12.2,
  start_alone: null,
  stops_at: null,
  missing_bytes: 5_000_000,
  rate: 300_000,
  sources: 2,
  helps: ['wait'],
}

function said(over: Partial<typeof LATER> | null): string {
  const forecast = over === null ? null : { ...LATER, ...over }
  const rest = { size: 9_000_000, complete: true, facts: null, wanted: null, missing: [], missing_bytes: 0 }
  return mediaText({ name: 'film.mkv', ...rest, forecast }, 80)
    .split('\n')
    .slice(2)
    .join('\n')
    .trim()
}

test('when it plays, and what would help', () => {
  assert.equal(said(null), '')
  assert.equal(said({}), 'Plays to the end without a stall in 13 s, at 293 KiB/s.')
  assert.equal(
    said({ from: 90, start_in: 90, start_alone: 8, helps: ['wait', 'more-peers', 'pause-others'] }),
    'Plays from 0:01:30 on to the end without a stall in 0:01:30, at 293 KiB/s. More peers would help. With other downloads paused it would be 8 s.',
  )
  assert.equal(
    said({ state: 'plays', start_in: 0, helps: [] }),
    'Plays to the end without a stall: 4.8 MiB are still to come, at 293 KiB/s.',
  )
  assert.equal(
    said({ state: 'plays', missing_bytes: 0, helps: [] }),
    'Plays to the end without a stall: all of it is there.',
  )
})

test('why it does not', () => {
  const helps = ['more-peers'] as const
  const no = { start_in: null, helps: [...helps] }
  assert.equal(
    said({ ...no, state: 'never', stops_at: 750 }),
    'Will not play to its end: nobody who is connected has it from 0:12:30 on. More peers would help.',
  )
  assert.match(said({ ...no, state: 'never', rate: 0 }), /^Will not play: nothing comes in any more\./)
  assert.match(said({ ...no, state: 'unknown', rate: 0 }), /^Nothing of it has come in lately\./)
  assert.match(said({ ...no, state: 'unknown', sources: 0, rate: 0 }), /^Nobody who has it is connected\./)
})
