// Texts of the dashboard in the chosen language: parameters, plurals, numbers, what is missing; and which language a
// browser gets.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { type Language, languageFor } from '../../../../src/web/language/language-for.ts'
import { PSEUDO, pseudoText } from '../../../../src/web/language/pseudo-text.ts'
import { direction, languageTag, setLanguage, textsOf } from '../../../../src/web/language/texts.ts'
import { bytes, duration, percent, ratio, whole } from '../../../../src/web/model/format.ts'

const text = textsOf('trial', {
  plain: 'No downloads match.',
  named: 'Moved to {{folder}}',
  files_one: '{{count, number}} file',
  files_other: '{{count, number}} files',
} as const)

afterEach(() => setLanguage('en', {}))

test('parameters are put in as they are, and numbers as English writes them', () => {
  assert.equal(text('plain'), 'No downloads match.')
  assert.equal(text('named', { folder: '<b>$t(plain) {{x}}</b>' }), 'Moved to <b>$t(plain) {{x}}</b>')
  assert.equal(text('files', { count: 1 }), '1 file')
  assert.equal(text('files', { count: 12_345 }), '12,345 files')
})

test('another language has its own texts, plurals and numbers, and English for what it lacks', async () => {
  await setLanguage('de', { trial: { files_one: '{{count, number}} Datei', files_other: '{{count, number}} Dateien' } })
  assert.equal(text('files', { count: 1 }), '1 Datei')
  assert.equal(text('files', { count: 12_345 }), '12.345 Dateien')
  assert.equal(text('plain'), 'No downloads match.')
  assert.deepEqual(
    [bytes(1.5 * 2 ** 20), percent(0.421), ratio(1.5), whole(12_345)],
    ['1,50 MiB', '42,1 %', '1,50', '12.345'],
  )
  assert.equal(languageTag(), 'de')
})

test('a language with more forms of the plural than English uses them', async () => {
  await setLanguage('pl', {
    trial: {
      files_one: '{{count}} plik',
      files_few: '{{count}} pliki',
      files_many: '{{count}} plików',
      files_other: '{{count}} pliku',
    },
  })
  assert.deepEqual(
    [1, 3, 5].map(count => text('files', { count })),
    ['1 plik', '3 pliki', '5 plików'],
  )
})

test('languages that are written from right to left say so', async () => {
  await setLanguage('ar', {})
  assert.equal(direction(), 'rtl')
  await setLanguage('de', {})
  assert.equal(direction(), 'ltr')
})

test('the language for tests has no letter of English, and is longer', async () => {
  assert.doesNotMatch(pseudoText('The quick brown fox jumps over the lazy DOG'), /[a-z]/i)
  await setLanguage(PSEUDO, {})
  assert.doesNotMatch(text('plain'), /[a-z]/i)
  assert.doesNotMatch(duration(3661), /[a-z]/i)
  assert.ok(text('plain').length > 'No downloads match.'.length * 1.3)
})

test('a browser gets what was chosen, else the first that it prefers and that there is', () => {
  const made = (tag: string): Language => ({ tag, name: tag, load: async () => ({}) })
  const all = ['en', 'de', 'pt-BR'].map(made)
  const tag = (chosen: string | null, ...preferred: string[]) => languageFor(all, chosen, preferred)?.tag
  assert.equal(tag(null, 'de-AT', 'en'), 'de')
  assert.equal(tag(null, 'fr-FR', 'de', 'en'), 'de')
  assert.equal(tag(null, 'fr'), undefined)
  assert.equal(tag(null), undefined)
  assert.equal(tag(null, 'pt-BR', 'en'), 'pt-BR')
  assert.equal(tag(null, 'pt', 'en'), 'en')
  assert.equal(tag('en', 'de'), 'en')
  assert.equal(tag('xx', 'de'), undefined)
  assert.equal(tag(PSEUDO, 'de'), PSEUDO)
  assert.equal(tag(null, PSEUDO, 'de'), 'en')
})
