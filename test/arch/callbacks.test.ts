// How the parts of an awake torrent are tied (decision 0516): a part is handed the parts it works with. What it calls
// of parts that are made after it is a narrow interface, listed here; a bag of functions for a constructor is counted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSync } from 'oxc-parser'
import { sourceFiles } from './source-tree.ts'

type Node = { readonly type: string } & Record<string, unknown>

/** Interfaces whose calls go to a part that is made later, or to an owner. */
const UPWARD = [
  'CheckedRun',
  'ConnectionTaker',
  'FailedRun',
  'HashFetchHooks',
  'LayerOwner',
  'PartReports',
  'PeerOwner',
  'IdleWatch',
  'RunForReaders',
  'WakeOwner',
]

const files = sourceFiles('src/torrent')

function* nodesOf(value: unknown): Generator<Node, void> {
  if (Array.isArray(value)) {
    for (const each of value) yield* nodesOf(each)
  } else if (typeof value === 'object' && value !== null) {
    if (typeof (value as Node).type === 'string') yield value as Node
    for (const each of Object.values(value)) yield* nodesOf(each)
  }
}

const nodes = files.flatMap(({ path, text }) => [...nodesOf(parseSync(path, text).program)])

function nameOf(node: Node): string {
  return (node['id'] as { name?: string } | null)?.name ?? ''
}

/** Members of interfaces whose name fits. */
function members(fits: (name: string) => boolean): number {
  return nodes
    .filter(node => node.type === 'TSInterfaceDeclaration' && fits(nameOf(node)))
    .reduce((count, node) => count + (node['body'] as { body: unknown[] }).body.length, 0)
}

function isFunction(node: unknown): boolean {
  const type = (node as Node | undefined)?.type
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression'
}

/** Functions that constructors are handed: each by itself, and those in object literals. */
function functionsHandedOver(): number {
  let count = 0
  for (const node of nodes.filter(({ type }) => type === 'NewExpression')) {
    // What a promise, a lookup or a generator is made of is no tie between parts.
    if (/^(Promise|Set|Map|Proxy)$/.test((node['callee'] as { name?: string }).name ?? '')) continue
    for (const argument of node['arguments'] as Node[]) {
      if (isFunction(argument)) count += 1
      if (argument.type !== 'ObjectExpression') continue
      count += (argument['properties'] as Node[]).filter(property => isFunction(property['value'])).length
    }
  }
  return count
}

test('members of *Hooks in src/torrent: they may become fewer (63 in 17 interfaces before)', () => {
  assert.equal(
    members(name => /(?:Hooks|Callbacks|Listeners?)$/.test(name)),
    3,
    'at most 25 were the aim',
  )
})

test('what parts of a torrent call of parts that are made after them: it may become less', () => {
  assert.equal(
    members(name => UPWARD.includes(name)),
    22,
    'with *Hooks at most 25',
  )
})

test('functions handed to constructors in src/torrent: they may become fewer (84 before)', () => {
  assert.equal(functionsHandedOver(), 21)
})
