// A further language is one file: it is offered, chosen as any other, and what it lacks or has wrong is English.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { addedLanguages } from '../../../../src/web/language/added-languages.ts'
import { languageFor } from '../../../../src/web/language/language-for.ts'
import { languageTag, setLanguage, textsOf } from '../../../../src/web/language/texts.ts'
import { text } from '../../../../src/web/texts/frame.ts'

const trial = textsOf('trial-added', {
  files_one: '{{count, number}} file',
  files_other: '{{count, number}} files',
  only: 'Only in English',
} as const)

afterEach(() => setLanguage('en', {}))

test('the file of a language is all that it takes', async () => {
  const file = {
    frame: { downloads: 'Téléchargements', settings: 7, events: '', player: null },
    'trial-added': { files_one: '{{count, number}} fichier', files_other: '{{count, number}} fichiers' },
    notTexts: ['x'],
  }
  const added = addedLanguages({ './added/fr.json': async () => file, './added/pt-BR.json': async () => ({}) })
  assert.deepEqual(
    added.map(({ tag, name }) => [tag, name]),
    [
      ['fr', 'français'],
      ['pt-BR', 'português (Brasil)'],
    ],
  )
  const chosen = languageFor(added, null, ['fr-CA', 'en'])
  assert.ok(chosen)
  await setLanguage(chosen.tag, await chosen.load())
  assert.equal(languageTag(), 'fr')
  assert.equal(text('downloads'), 'Téléchargements')
  assert.equal(trial('files', { count: 0 }), '0 fichier', 'none is one of them in French')
  assert.equal(trial('files', { count: 1234 }).replaceAll(/\s/g, ' '), '1 234 fichiers')
  assert.deepEqual([text('settings'), text('events'), text('player')], ['Settings', 'Events', 'Player'])
  assert.equal(trial('only'), 'Only in English')
})

test('files that are no language are left out, and content that is none is empty', async () => {
  assert.deepEqual(
    addedLanguages({ './added/not a tag.json': async () => ({}), './added/_.json': async () => ({}) }),
    [],
  )
  const [language] = addedLanguages({ './added/it.json': async () => ['x'] })
  assert.deepEqual(await language?.load(), {})
})
