// Where a source file can be made wrong on purpose, and how (decision 0485): comparisons, conditions, constants,
// calculations, statements and returned values. Types, imports, texts of logs and errors are left alone: no test is to
// hold those.

import { parseSync } from 'oxc-parser'

/** One change of a file: the characters from `start` to `end` become `text`. */
export interface Mutation {
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly start: number
  readonly end: number
  readonly text: string
  /** For the reader: what becomes what. */
  readonly what: string
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

type Change = readonly [start: number, end: number, text: string]

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
}
/** Of TypeScript's own nodes those that hold expressions. */
const WRAPPERS: ReadonlySet<string> = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])
const LOGGED = /\blog(?:ger)?\??\.(?:trace|debug|info|warn|error|fatal)$/
const SHOWN_CHARACTERS = 60

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

/** Every change that may be made to a file, in the order of its text. */
export function mutationSites(path: string, source: string): Mutation[] {
  const found: Mutation[] = []
  const visit = (node: SyntaxNode): void => {
    if (isLeftAlone(node, source)) return
    for (const [start, end, text] of changesOf(node, source)) {
      const line = source.slice(0, start).split('\n').length
      found.push({ path, line, start, end, text, what: `${shown(source.slice(node.start, node.end))}: ${shown(text)}` })
    }
    for (const [key, value] of Object.entries(node)) {
      if (WRAPPERS.has(node.type) && key !== 'expression') continue
      for (const inner of Array.isArray(value) ? (value as unknown[]) : [value]) if (isNode(inner)) visit(inner)
    }
  }
  visit(parseSync(path, source).program as unknown as SyntaxNode)
  return found.sort((a, b) => a.start - b.start)
}

/** The file with its change. */
export function mutated(source: string, { start, end, text }: Mutation): string {
  return source.slice(0, start) + text + source.slice(end)
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line === '' ? 'nothing' : line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line
}

function isLeftAlone(node: SyntaxNode, source: string): boolean {
  const { type } = node
  if (type.startsWith('TS')) return !WRAPPERS.has(type)
  if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration' || type === 'TemplateLiteral') return true
  if (type !== 'CallExpression' && type !== 'NewExpression') return false
  const callee = node['callee'] as SyntaxNode
  const name = source.slice(callee.start, callee.end)
  return type === 'NewExpression' ? name.endsWith('Error') : LOGGED.test(name)
}

function changesOf(node: SyntaxNode, source: string): Change[] {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return operatorChange(node, source)
    case 'UpdateExpression':
      return updateChange(node, source)
    case 'IfStatement':
    case 'ConditionalExpression': {
      const test = node['test'] as SyntaxNode
      return [[test.start, test.end, `!(${source.slice(test.start, test.end)})`]]
    }
    case 'Literal':
      return literalChange(node)
    case 'ExpressionStatement':
      return isStatementKept(node, source) ? [] : [[node.start, node.end, ';']]
    case 'ReturnStatement':
      return isNode(node['argument']) ? [[node.argument.start, node.argument.end, 'undefined']] : []
    default:
      return []
  }
}

function operatorChange(node: SyntaxNode, source: string): Change[] {
  const operator = String(node['operator'])
  const swapped = SWAPPED[operator]
  const [left, right] = [node['left'] as SyntaxNode, node['right'] as SyntaxNode]
  // Texts are put together with + as well.
  if (swapped === undefined || (operator.startsWith('+') && /['"`]/.test(source.slice(node.start, node.end)))) return []
  const at = source.indexOf(operator, left.end)
  return at < 0 || at >= right.start ? [] : [[at, at + operator.length, swapped]]
}

function updateChange(node: SyntaxNode, source: string): Change[] {
  const swapped = SWAPPED[String(node['operator'])] ?? ''
  const at = node['prefix'] === true ? node.start : node.end - 2
  return source.slice(at, at + 2) === node['operator'] ? [[at, at + 2, swapped]] : []
}

function literalChange({ start, end, value }: SyntaxNode): Change[] {
  if (typeof value === 'number') return [[start, end, String(value + 1)]]
  if (typeof value === 'bigint') return [[start, end, `${value + 1n}n`]]
  return typeof value === 'boolean' ? [[start, end, String(!value)]] : []
}

function isStatementKept(node: SyntaxNode, source: string): boolean {
  const inner = node['expression'] as SyntaxNode
  const text = source.slice(inner.start, inner.end)
  return (
    inner.type === 'Literal' || text.startsWith('super(') || LOGGED.test(/^(?:await )?[\w.#?]+/.exec(text)?.[0] ?? '')
  )
}
