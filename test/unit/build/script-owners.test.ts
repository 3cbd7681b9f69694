// Every module of the program lies in one script: the first that needs it, as long as nobody asks for it at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { givenModules, planScripts } from '../../../src/build/script-owners.ts'

type Inputs = Parameters<typeof planScripts>[0]

/** Modules with what they import: `later NAME` by import(). */
function program(modules: Readonly<Record<string, readonly string[]>>): Inputs {
  const entries = Object.entries(modules).map(([name, imports]) => {
    const found = imports.map(text => {
      const path = text.replace('later ', 'src/').replace(/^(?!src\/|virtual:)/, 'src/')
      return { path, kind: text.startsWith('later ') ? ('dynamic-import' as const) : ('import-statement' as const) }
    })
    return [`src/${name}`, { bytes: 1, imports: found }] as const
  })
  return Object.fromEntries(entries)
}

const script = (name: string, roots: readonly string[], atFirstUse: readonly string[] = []) => ({
  name,
  roots: roots.map(root => `src/${root}`),
  atFirstUse: atFirstUse.map(root => `src/${root}`),
})

test('what a later module needs goes with it, unless an earlier script needs it too', () => {
  const inputs = program({
    main: ['errors', 'later market', 'later wallets'],
    errors: [],
    wallets: ['errors', 'keys'],
    market: ['errors', 'keys', 'later wallets'],
    keys: [],
  })
  const plan = planScripts(inputs, 'src/main', [script('wallets', ['wallets']), script('market', ['market'])])
  assert.deepEqual(Object.fromEntries(plan.owners), {
    'src/main': 'program',
    'src/errors': 'program',
    'src/wallets': 'wallets',
    'src/keys': 'wallets',
    'src/market': 'market',
  })
  const given = Object.fromEntries([...givenModules(plan)].map(([name, modules]) => [name, [...modules]]))
  assert.deepEqual(given, { program: ['src/errors'], wallets: ['src/keys'] })
})

test('a module that is loaded at its first use is imported as ever, and its script is not', () => {
  const inputs = program({ main: ['table'], table: ['data', 'virtual:node'], data: [] })
  const plan = planScripts(inputs, 'src/main', [script('tables', [], ['table'])])
  assert.deepEqual([...plan.owners.values()], ['program', 'tables', 'tables'])
  assert.deepEqual([...givenModules(plan)], [])
})

test('a later module that somebody imports as ever, and one that nobody loads, stop the build', () => {
  const inputs = program({ main: ['market'], market: [] })
  assert.throws(() => planScripts(inputs, 'src/main', [script('market', ['market'])]), /import\(\) alone: src\/market/)
  assert.throws(() => planScripts(inputs, 'src/main', [script('market', ['gone'])]), /nobody loads src\/gone/)
})
