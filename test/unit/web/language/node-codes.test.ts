// What the node says by codes: the catalogues have each code of its tables, with the same English; what a language has
// is said in it, with what the answer says beyond its code, and all else as the node does.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { errorTable } from '../../../../src/base/errors.ts'
import { conditionName } from '../../../../src/client/condition-names.ts'
import type { Download } from '../../../../src/client/core-routes.ts'
import { explainCodes, explainDetails } from '../../../../src/services/downloads/reasons/explain-codes.ts'
import { addNodeCodes } from '../../../../src/web/language/node-codes.ts'
import { PSEUDO } from '../../../../src/web/language/pseudo-text.ts'
import { setLanguage } from '../../../../src/web/language/texts.ts'
import { conditionWords, errorWords, reasonWords } from '../../../../src/web/model/node-words.ts'
import { german as germanConditions } from '../../../../src/web/texts/node/conditions.de.ts'
import { english as conditions } from '../../../../src/web/texts/node/conditions.ts'
import { german as germanErrors } from '../../../../src/web/texts/node/errors.de.ts'
import { english as errors } from '../../../../src/web/texts/node/errors.ts'
import { german as germanReasons } from '../../../../src/web/texts/node/explain.de.ts'
import { english as reasons } from '../../../../src/web/texts/node/explain.ts'

const german = { conditions: germanConditions, errors: germanErrors, explain: germanReasons }
const condition = (code: string, parameters = {}) => ({ code, parameters, trouble: false }) as Download['condition']

afterEach(() => setLanguage('en', {}))

test('the catalogues say what the tables of the node say', () => {
  const table = Object.fromEntries(Object.entries(errorTable).map(([code, { text }]) => [code, text]))
  assert.deepEqual(errors, table)
  const details = Object.entries(explainDetails).map(([code, text]) => [
    `${code}_detail`,
    text.replaceAll(/\{(\w+)\}/g, '{{$1}}'),
  ])
  assert.deepEqual(Object.fromEntries(Object.entries(reasons).toSorted()), {
    ...Object.fromEntries([...Object.entries(explainCodes), ...details].toSorted()),
  })
  const { queuedAt: _, ...names } = conditions
  for (const [code, name] of Object.entries(names)) assert.equal(conditionName(condition(code)), name, code)
  const named = Object.keys(explainCodes).filter(code => conditionName(condition(code)) !== null)
  assert.deepEqual(Object.keys(names).toSorted(), named.toSorted())
})

test('in English it is what the node says, whatever its code', () => {
  assert.equal(errorWords('DiskFull', 'The disk /srv is full.'), 'The disk /srv is full.')
  assert.equal(reasonWords({ code: 'stopped', message: 'As the node says.' }), 'As the node says.')
  assert.equal(conditionWords(condition('queued', { place: 3 })), 'Queued 3rd')
})

test('in another language errors are said by their codes, with what the node adds; unknown ones in English', async () => {
  addNodeCodes()
  await setLanguage('de', german)
  assert.equal(errorWords('DiskFull', errorTable.DiskFull.text), 'Die Platte ist voll.')
  assert.equal(errorWords('DiskFull', 'No space on /srv.'), 'Die Platte ist voll. (No space on /srv.)')
  assert.equal(errorWords('OfTomorrow', 'Something new.'), 'Something new.')
  assert.equal(errorWords('__proto__', 'Something new.'), 'Something new.')
})

test('reasons and conditions take the parameters of the answer, as text', async () => {
  addNodeCodes()
  await setLanguage('de', german)
  const refused = { code: 'tracker_refused', message: 'English' }
  assert.equal(reasonWords(refused), germanReasons.tracker_refused)
  const words = '$t(stopped) {{tracker}} <b>'
  assert.equal(
    reasonWords({ ...refused, parameters: { tracker: 'http://t', words } }),
    `${germanReasons.tracker_refused} Der Tracker http://t sagt: ${words}`,
  )
  assert.match(
    reasonWords({ code: 'foreign_file', message: 'English', parameters: { error: 'a.iso is there' } }),
    /^An seiner Stelle .*\(a\.iso is there\)$/,
  )
  assert.equal(reasonWords({ code: 'of_tomorrow', message: 'Something new.' }), 'Something new.')
  assert.equal(conditionWords(condition('queued', { place: 3 })), 'Wartet, Platz 3')
  assert.equal(conditionWords(condition('queued')), 'Wartet')
  assert.equal(conditionWords(condition('of_tomorrow')), null)
  assert.equal(conditionWords(undefined), null)
})

test('the language for tests shows which of them come by codes', async () => {
  addNodeCodes()
  await setLanguage(PSEUDO, {})
  assert.doesNotMatch(errorWords('DiskFull', errorTable.DiskFull.text), /[a-z]/i)
  assert.doesNotMatch(reasonWords({ code: 'stopped', message: 'Paused.' }), /[a-z]/i)
})
