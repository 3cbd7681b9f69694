// From raw names and values to what a route's schema promises: values are read as the schema's types (numbers and
// booleans may come as texts), then checked by the compiled schema. Unknown names are dropped, empty values are absent,
// unless the schema says `minLength: 0` in so many words: then an empty text is a value, as of a description that is
// taken away. Invariant: what comes out satisfies the schema; what goes wrong names its parameter.

import { Kind, type TObject, type TSchema } from '@sinclair/typebox'
import { AppError } from '../base/errors.ts'
import type { RawParameters } from './raw-parameters.ts'
import { type TypeCheck, TypeCompiler } from './schema-compiler.ts'

const INTEGER = /^[+-]?[0-9]{1,15}$/
const NUMBER = /^[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?$/
/** Unknown names in one answer, and characters of each. */
const [MAX_UNKNOWN, MAX_NAME_CHARS] = [20, 100]

/** Checks parameters against one schema; compiled when first used, so that start-up does not pay for it. */
export class InputCheck {
  readonly #schema: TObject
  readonly #oldNames: Readonly<Record<string, string>>
  #compiled: TypeCheck<TObject> | null = null

  constructor(schema: TObject, oldNames: Readonly<Record<string, string>>) {
    this.#schema = schema
    this.#oldNames = oldNames
  }

  /** The checked parameters. Throws AppError MissingParameter or InvalidParameter naming the first that is wrong. */
  check(raw: RawParameters): Record<string, unknown> {
    const values: Record<string, unknown> = {}
    const properties = Object.entries(this.#schema.properties)
    // Most routes take nothing: what checks them need not be loaded.
    if (properties.length === 0) return values
    for (const [name, schema] of properties) {
      const given = raw.get(name)
      const value = given === '' && schema['minLength'] === 0 ? given : readAs(schema, this.#rawValue(raw, name))
      if (value !== undefined) values[name] = value
    }
    this.#requireAll(values)
    this.#compiled ??= TypeCompiler.Compile(this.#schema)
    if (!this.#compiled.Check(values)) this.#reject(values)
    return values
  }

  /** Names that mean nothing here, a few of them, cut: for an answer that tells of a misspelt one. */
  unknown(raw: RawParameters): string[] {
    const names: string[] = []
    for (const name of raw.keys()) {
      if (Object.hasOwn(this.#schema.properties, name) || Object.hasOwn(this.#oldNames, name)) continue
      if (names.length === MAX_UNKNOWN) break
      names.push(name.slice(0, MAX_NAME_CHARS))
    }
    return names
  }

  #rawValue(raw: RawParameters, name: string): unknown {
    const value = raw.get(name)
    if (!isAbsent(value)) return value
    for (const [oldName, newName] of Object.entries(this.#oldNames)) {
      if (newName === name && !isAbsent(raw.get(oldName))) return raw.get(oldName)
    }
    return undefined
  }

  #requireAll(values: Record<string, unknown>): void {
    for (const name of this.#schema.required ?? []) {
      if (values[name] === undefined) throw new AppError('MissingParameter', `The parameter ${name} is missing.`)
    }
  }

  #reject(values: Record<string, unknown>): never {
    const first = this.#compiled?.Errors(values).First()
    const name = first === undefined ? '' : first.path.slice(1).split('/').join('.')
    throw new AppError('InvalidParameter', `The parameter ${name} is not valid: ${expectation(first?.schema)}.`)
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

// Values that cannot be read as the type stay as they are: the compiled check then names them.
function readAs(schema: TSchema, value: unknown): unknown {
  if (isAbsent(value)) return undefined
  switch (schema[Kind]) {
    case 'Boolean':
      return readBoolean(value)
    case 'Integer':
      return typeof value === 'string' && INTEGER.test(value) ? Number(value) : value
    case 'Number':
      return typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
    case 'Array':
      return readList(schema, value)
    default:
      return value
  }
}

function readBoolean(value: unknown): unknown {
  if (value === 1 || value === '1' || value === 'true') return true
  if (value === 0 || value === '0' || value === 'false') return false
  return value
}

// `name[]=` alone is an empty value and so absent; an empty JSON list is a list.
function readList(schema: TSchema, value: unknown): unknown {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > 0 && list.every(isAbsent)) return undefined
  const items = schema['items'] as TSchema
  return list.map(item => readAs(items, item))
}

function expectation(schema: TSchema | undefined): string {
  if (schema === undefined) return 'it has a value that is not allowed'
  if (typeof schema['description'] === 'string') return `expected ${schema['description']}`
  const bounds = [bound('at least', schema['minimum']), bound('at most', schema['maximum'])].filter(text => text !== '')
  return ['expected', String(schema['type'] ?? 'one of the documented values'), ...bounds].join(' ')
}

function bound(word: string, limit: unknown): string {
  return typeof limit === 'number' ? `${word} ${limit}` : ''
}
