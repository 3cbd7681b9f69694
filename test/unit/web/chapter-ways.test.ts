// Which chapters the navigation shows: used or switched on, not switched off, whatever a device has kept.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chapterUseIn, isInUse, type SettingsNow, withUsed } from '../../../src/web/chapter-ways.ts'

const market = { id: 'market', switches: ['market_community.enabled', 'ipv8.enabled'] }
const players = { id: 'dlna', chosenBy: 'dlna.enabled' }

function settings(market_community: unknown, dlna: unknown): SettingsNow {
  return { market_community: { enabled: { value: market_community } }, dlna: { enabled: { value: dlna } } }
}

test('what nobody used is not shown, what was used is, and not after it was switched off', () => {
  const unused = chapterUseIn(null, ['market'])
  const used = withUsed(unused, 'market')
  assert.equal(isInUse(market, unused, settings(true, false)), false)
  assert.equal(isInUse(market, used, settings(true, false)), true)
  assert.equal(isInUse(market, used, settings(false, false)), false)
  assert.equal(isInUse(market, used, null), true, 'a key that may not see settings')
  assert.equal(withUsed(used, 'market'), used)
})

test('what is off until somebody wants it is in use when it is on, wherever that was done', () => {
  const use = chapterUseIn(null, [])
  assert.equal(isInUse(players, use, settings(true, true)), true)
  assert.equal(isInUse(players, withUsed(use, 'dlna'), settings(true, false)), false)
  assert.equal(isInUse(players, withUsed(use, 'dlna'), null), true)
})

test('what a device kept may be anything', () => {
  const known = ['channels', 'market']
  for (const odd of [null, 1, 'all', [], { used: 'market' }, { used: null, all: 'yes' }, { used: [['market'], {}] }])
    assert.deepEqual(chapterUseIn(odd, known), { used: [], all: false })
  const kept = { used: ['market', 'market', '__proto__', 'gone'], all: true }
  assert.deepEqual(chapterUseIn(kept, known), { used: ['market'], all: true })
  assert.equal(
    isInUse({ id: 'x', switches: ['nothing', '__proto__.enabled', ''] }, { used: ['x'], all: false }, {}),
    true,
  )
})
