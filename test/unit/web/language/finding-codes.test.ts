// What the doctor finds, by codes: the catalogue has a text for each code of the core's table, with the same English;
// a finding is made of its row, and in another language it is said in that one, or as the node does.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { findingsOf, type FindingRow, folderRoles, problem } from '../../../../src/node/doctor/finding.ts'
import { coreFinding, coreFindings } from '../../../../src/node/doctor/finding-table.ts'
import { addNodeCodes } from '../../../../src/web/language/node-codes.ts'
import { PSEUDO } from '../../../../src/web/language/pseudo-text.ts'
import { setLanguage } from '../../../../src/web/language/texts.ts'
import { findingWords } from '../../../../src/web/model/node-words.ts'
import { german } from '../../../../src/web/texts/node/findings.de.ts'
import { english } from '../../../../src/web/texts/node/findings.ts'
import { DoctorRuns } from '../../../../src/services/diagnostics/doctor-runs.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'
import { catalogueOf } from '../../../kit/finding-catalogue.ts'

/** Chapters compare theirs themselves. */
const OF_CHAPTERS = /^(overlay|ffmpeg)_/

afterEach(() => setLanguage('en', {}))

test('the catalogue says what the table of the core says, and has no code besides', async () => {
  const report = await new DoctorRuns({ clock: new VirtualClock(), examine: async () => '' }).report()
  const [failed] = report.findings
  assert.ok(failed !== undefined)
  const { state, check, code, advice } = failed
  const row: FindingRow = { state, check, text: 'The examination did not come to an end: {error}.', advice }
  assert.equal(failed.text, row.text.replace('{error}', String(failed.parameters['error'])))
  const roles = Object.entries(folderRoles).map(([kind, name]) => [`role_${kind}`, name])
  assert.deepEqual(
    Object.fromEntries(Object.entries(english).filter(([key]) => !OF_CHAPTERS.test(key))),
    Object.fromEntries([...roles, ...Object.entries(catalogueOf({ ...coreFindings, [code]: row }))]),
  )
})

test('a finding has the parameters its texts name, and they are put in once', () => {
  const found = findingsOf({ full: problem('mounts', 'The {role} {path} is full.', 'Delete {path}.') })
  const values = { role: 'state', path: '/a {role}', free: 1 }
  assert.deepEqual(found('full', values), {
    state: 'problem',
    check: 'mounts',
    code: 'full',
    parameters: { role: 'state', path: '/a {role}' },
    text: 'The state directory /a {role} is full.',
    advice: 'Delete /a {role}.',
  })
})

test('in another language it is said in that, with what it names; unknown codes and lost parameters in English', async () => {
  const found = coreFinding('room_below_setting', { role: 'downloads', path: '$t(room) /srv', free: 3, wanted: 9000 })
  assert.deepEqual(findingWords(found), { said: found.text, advice: found.advice, isEnglish: true })
  addNodeCodes()
  await setLanguage('de', { findings: german })
  assert.deepEqual(findingWords(found), {
    said: 'Nur 3 MiB sind frei: Download-Ordner $t(room) /srv.',
    advice: 'disk.min_free_bytes verlangt 9000 MiB. Schaffen Sie Platz, oder senken Sie den Wert.',
    isEnglish: false,
  })
  const node = { text: 'Something new.', advice: '' }
  const odds: { code: string; parameters?: Record<string, number> }[] = [
    { code: 'of_tomorrow', parameters: {} },
    { code: 'room', parameters: { free: 1 } },
    { code: '' },
  ]
  for (const odd of odds)
    assert.deepEqual(findingWords({ ...node, ...odd }), { said: node.text, advice: '', isEnglish: true })
  // Its advice is newer than the catalogue.
  assert.equal(findingWords({ code: 'clock_ok', parameters: { time: '1' }, text: 'a', advice: 'b' }).isEnglish, true)
})

test('the language for tests shows that they come by codes', async () => {
  addNodeCodes()
  await setLanguage(PSEUDO, {})
  assert.doesNotMatch(findingWords(coreFinding('database_none', {})).said, /[a-z]/i)
})
