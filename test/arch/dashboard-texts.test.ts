// What the dashboard says lies in its catalogues (src/web/language): no text stands in the markup, translations have
// the keys and parameters of the English, and no text is left that nothing shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSync } from 'oxc-parser'
import { type SourceFile, sourceFiles } from './source-tree.ts'

type Node = { readonly type: string } & Record<string, unknown>

/** Their keys are codes of the node: test/unit/web/language/node-codes.test.ts compares them with its tables. */
const BY_CODES = /\/(conditions|errors|explain|findings)\.ts$/

/** Attributes that people read or hear. */
const READ = new Set(['aria-label', 'aria-description', 'aria-roledescription', 'title', 'placeholder', 'alt', 'label'])

const files = sourceFiles('src/web', 'src/chapters').filter(
  ({ path }) => path.startsWith('src/web/') || /^src\/chapters\/[^/]+\/web\//.test(path),
)

function* nodesOf(value: unknown): Generator<Node, void> {
  if (Array.isArray(value)) {
    for (const each of value) yield* nodesOf(each)
  } else if (typeof value === 'object' && value !== null) {
    if (typeof (value as Node).type === 'string') yield value as Node
    for (const each of Object.values(value)) yield* nodesOf(each)
  }
}

function isWords(value: unknown): boolean {
  return typeof value === 'string' && /\p{L}{2}/u.test(value)
}

/** Texts that stand in the markup of a file. */
function textsInMarkup({ path, text }: SourceFile): string[] {
  const found: string[] = []
  for (const node of nodesOf(parseSync(path, text).program)) {
    if (node.type === 'JSXText' && isWords(node['value'])) found.push(String(node['value']).trim())
    if (node.type !== 'JSXAttribute') continue
    const name = (node['name'] as { name?: unknown }).name
    const value = (node['value'] as { value?: unknown } | null)?.value
    if (typeof name === 'string' && READ.has(name) && isWords(value)) found.push(`${name}="${String(value)}"`)
  }
  return found
}

/** Keys and texts of the one object literal of a catalogue. */
function textsOf({ path, text }: SourceFile): Map<string, string> {
  const found = new Map<string, string>()
  for (const node of nodesOf(parseSync(path, text).program)) {
    if (node.type !== 'Property') continue
    const { key, value } = node as unknown as { key: { name?: string; value?: string }; value: { value?: unknown } }
    if (typeof value.value === 'string') found.set(key.name ?? key.value ?? '', value.value)
  }
  return found
}

const isTranslation = (path: string) => /\/texts\/.+\.de\.ts$/.test(path)
const catalogues = files.filter(({ path }) => path.includes('/texts/') && !isTranslation(path))
const stemOf = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '')
const parametersOf = (text: string) => [...text.matchAll(/\{\{([^,}]+)/g)].map(([, name]) => name).toSorted()

test('no text stands in the markup', () => {
  const wrong = files
    .filter(({ path }) => path.endsWith('.tsx'))
    .flatMap(file => textsInMarkup(file).map(text => `${file.path}: ${text}`))
  assert.deepEqual(wrong, [])
})

test('translations have the keys of the English, and the same parameters', () => {
  assert.ok(catalogues.length > 0)
  for (const english of catalogues) {
    const translated = files.find(({ path }) => path === english.path.replace(/\.ts$/, '.de.ts'))
    assert.ok(translated, `${english.path} has no German`)
    const [ours, theirs] = [textsOf(english), textsOf(translated)]
    const stems = (texts: Map<string, string>) => [...new Set([...texts.keys()].map(stemOf))].toSorted()
    assert.deepEqual(stems(theirs), stems(ours), translated.path)
    for (const [key, text] of theirs) {
      const same = ours.get(key) ?? ours.get(`${stemOf(key)}_other`) ?? ''
      assert.deepEqual(parametersOf(text), parametersOf(same), `${translated.path}: ${key}`)
    }
  }
})

test('no text is left that nothing shows', () => {
  const shown = files
    .filter(({ path }) => !path.includes('/texts/'))
    .map(({ text }) => text)
    .join('\n')
  for (const english of catalogues.filter(({ path }) => !BY_CODES.test(path))) {
    const unused = [...textsOf(english).keys()].map(stemOf).filter(key => !shown.includes(`'${key}'`))
    assert.deepEqual(unused, [], english.path)
  }
})
