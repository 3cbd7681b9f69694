// What the dashboard is made of, as vite has built it: what a browser loads first, and what comes later in files of its
// own, with the notices of what they hold.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { projectRoot } from '../../kit/project-root.ts'

const PAGE = join(projectRoot, 'dist/src/web/page')
const KB = 1000
/** What a browser loads before it shows anything: no more than it was, 287 kB before films were repacked. */
const FIRST_LOAD = 287 * KB

describe('parts of the dashboard', () => {
  const texts = new Map<string, string>()
  let first: string[] = []

  before(async () => {
    for (const name of await readdir(join(PAGE, 'dashboard')))
      if (/\.(js|css)$/.test(name)) texts.set(name, await readFile(join(PAGE, 'dashboard', name), 'utf8'))
    const page = await readFile(join(PAGE, 'index.html'), 'utf8')
    const named = [...page.matchAll(/(?:src|href)="\.\/dashboard\/([^"]+\.(?:js|css))"/g)].map(([, name]) => name ?? '')
    // The entry chooses the language, and loads the page then.
    const start = [...texts.keys()].filter(name => name.startsWith('start-'))
    assert.equal(start.filter(name => name.endsWith('.js')).length, 1)
    first = withImports([...named, ...start])
  })

  /** These parts and all that they cannot be run without. */
  const withImports = (names: readonly string[]): string[] => {
    const found = new Set(names)
    for (const name of found)
      for (const [, other] of (texts.get(name) ?? '').matchAll(/(?:\bfrom|\bimport)"\.\/([^"]+\.js)"/g))
        if (other !== undefined) found.add(other)
    return [...found]
  }

  /** The one part whose name matches. */
  const partOf = (name: RegExp): [string, string] => {
    const found = [...texts].filter(([each]) => name.test(each))
    assert.equal(found.length, 1, `${name}: ${found.map(([each]) => each).join(' ')}`)
    return found[0] ?? ['', '']
  }

  test('the first load has its bound, and nothing of films in it', () => {
    assert.ok(first.length > 0)
    const all = first.map(name => texts.get(name) ?? '').join('')
    assert.ok(all.length < FIRST_LOAD, `${all.length} characters: ${first.join(' ')}`)
    for (const word of ['addSourceBuffer', 'Matroska', 'canPlayType']) assert.ok(!all.includes(word), word)
  })

  test('the worker that takes films apart has a name by which it gets its policy, and nothing that parts import', () => {
    const [name, text] = partOf(/^worker-.*\.js$/)
    // A digest has eight characters, of which '-' is one.
    const naming = (of: string) =>
      [...texts]
        .filter(([each, other]) => each !== of && other.includes(of))
        .map(([each]) => each.replace(/-.{8}\.js$/, ''))
    // What starts it. WebKit would run it once more for a part that imports something of it.
    assert.deepEqual(naming(name), ['page-film'])
    const [reader, itsText] = partOf(/^film-reader-.*\.js$/)
    assert.match(itsText, /Matroska/)
    assert.ok(text.includes(reader), 'the worker loads it')
    assert.ok(!first.includes(reader))
  })

  test('what makes QR codes is small, and comes when one is shown', () => {
    const codes = [...texts].filter(([name]) => /^link-code-.*\.js$/.test(name))
    assert.ok(codes.length > 0)
    for (const [name] of codes) assert.ok(!first.includes(name), `${name} is no part of the first load`)
    const length = codes.reduce((sum, [, text]) => sum + text.length, 0)
    assert.ok(length < 16 * KB, `${length} characters`)
  })

  test('FFmpeg’s decoder lies in a file of its own, with its notice', async () => {
    const [name, text] = partOf(/^ac3-.*\.js$/)
    assert.match(text.slice(0, 500), /FFmpeg.*GNU Lesser General Public License/s)
    for (const [each, other] of texts) {
      if (each !== name) assert.ok(!/AGFzbQ|\\0asm/.test(other), `${each} holds WebAssembly`)
      if (!each.startsWith('film-reader-')) assert.ok(!other.includes(name), `${each} loads it`)
    }
    const notices = await readFile(join(projectRoot, 'dist/src/bundle/licences.txt'), 'utf8')
    assert.match(notices, /==== FFmpeg .*\(LGPL-2\.1-or-later\), in @mediabunny\/ac3/)
    assert.match(notices, /GNU LESSER GENERAL PUBLIC LICENSE/)
  })
})
