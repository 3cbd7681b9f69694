// A small language for shapes of JSON, used to write the specification down (records.ts, routes.ts), and its two
// readers: one for values that a node answers, one for the schemas of its OpenAPI document. Nothing of the code under
// test.

import assert from 'node:assert/strict'

/** Types of the specification. */
export type Leaf = 'string' | 'integer' | 'number' | 'boolean' | 'any'

/** What a value looks like. */
export type Shape =
  | Leaf
  | { readonly list: Shape }
  /** Any names, values of one shape. */
  | { readonly map: Shape }
  | { readonly nullable: Shape }
  /** One of these texts. */
  | { readonly values: readonly string[] }
  | RecordShape

/** An object with exactly these names. */
export interface RecordShape {
  /** Of the specification. */
  readonly fields: Readonly<Record<string, Shape>>
  /** Of the specification, present only when they are asked for. */
  readonly asked?: Readonly<Record<string, Shape>>
  /** Additions of this node. */
  readonly extra?: Readonly<Record<string, Shape>>
  /** Additions that not every answer has. */
  readonly sometimes?: Readonly<Record<string, Shape>>
}

/** Part of a JSON document. */
export type Json = Record<string, unknown>

const leaves: Readonly<Record<Leaf, (value: unknown) => boolean>> = {
  string: value => typeof value === 'string',
  integer: value => Number.isSafeInteger(value),
  number: value => Number.isFinite(value),
  boolean: value => typeof value === 'boolean',
  any: value => value !== undefined,
}

/** True for what is neither a list nor null. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Fails unless `value` has exactly this shape. `asked`: which of the names that are there on request only must be
 * there; the others must not.
 */
export function assertValue(value: unknown, shape: Shape, at = 'answer', asked: readonly string[] = []): void {
  const shown = () => `${at} is ${JSON.stringify(value)?.slice(0, 300)}`
  if (typeof shape === 'string') assert.ok(leaves[shape](value), `${shown()}, not of type ${shape}`)
  else if ('list' in shape) {
    assert.ok(Array.isArray(value), `${shown()}, not a list`)
    for (const [index, item] of value.entries()) assertValue(item, shape.list, `${at}[${index}]`, asked)
  } else if ('map' in shape) {
    assert.ok(isObject(value), `${shown()}, not an object`)
    for (const [name, item] of Object.entries(value)) assertValue(item, shape.map, `${at}.${name}`, asked)
  } else if ('nullable' in shape) {
    if (value !== null) assertValue(value, shape.nullable, at, asked)
  } else if ('values' in shape)
    assert.ok(shape.values.includes(String(value)), `${shown()}, not one of ${shape.values}`)
  else assertRecord(value, shape, at, asked)
}

function assertRecord(value: unknown, shape: RecordShape, at: string, asked: readonly string[]): void {
  assert.ok(isObject(value), `${at} is ${JSON.stringify(value)}, not an object`)
  const onRequest = Object.entries(shape.asked ?? {}).filter(([name]) => asked.includes(name))
  const sometimes = Object.entries(shape.sometimes ?? {}).filter(([name]) => name in value)
  const all: [string, Shape][] = [
    ...Object.entries({ ...shape.fields, ...shape.extra }),
    ...[...onRequest, ...sometimes],
  ]
  assert.deepEqual(Object.keys(value).sort(), all.map(([name]) => name).sort(), `the names of ${at}`)
  for (const [name, member] of all) assertValue(value[name], member, `${at}.${name}`, asked)
}

/** Fails unless a JSON schema of the document `root` describes exactly this shape. */
export function assertSchema(schema: unknown, shape: Shape, root: Json, at: string): void {
  const plain = resolved(schema, root, at)
  if (typeof shape === 'string') assertLeaf(plain, shape, at)
  else if ('list' in shape) {
    assert.equal(plain['type'], 'array', at)
    assertSchema(plain['items'], shape.list, root, `${at}[]`)
  } else if ('map' in shape) {
    assert.equal(plain['type'], 'object', at)
    const values = Object.values((plain['patternProperties'] ?? {}) as Json)[0] ?? plain['additionalProperties']
    // A map whose names are known stands in the document with them.
    const members = values === undefined || values === false ? Object.values(plain['properties'] as Json) : [values]
    for (const member of members) assertSchema(member, shape.map, root, `${at}.*`)
  } else if ('nullable' in shape) {
    const [other, ...rest] = alternatives(plain).filter(each => each['type'] !== 'null')
    assert.ok(other !== undefined && rest.length === 0 && alternatives(plain).length === 2, `${at} may be null`)
    assertSchema(other, shape.nullable, root, at)
  } else if ('values' in shape) {
    const shown = alternatives(plain).map(each => each['const'])
    assert.deepEqual(shown.toSorted(), shape.values.toSorted(), at)
  } else assertObjectSchema(plain, shape, root, at)
}

function assertObjectSchema(plain: Json, shape: RecordShape, root: Json, at: string): void {
  assert.equal(plain['type'], 'object', at)
  const properties = plain['properties'] as Json
  const always = { ...shape.fields, ...shape.extra }
  const all = { ...always, ...shape.asked, ...shape.sometimes }
  assert.deepEqual(Object.keys(properties).sort(), Object.keys(all).sort(), `the names of ${at}`)
  assert.deepEqual(
    ((plain['required'] as string[] | undefined) ?? []).toSorted(),
    Object.keys(always).sort(),
    `always there in ${at}`,
  )
  for (const [name, member] of Object.entries(all)) assertSchema(properties[name], member, root, `${at}.${name}`)
}

function assertLeaf(plain: Json, shape: Leaf, at: string): void {
  if (shape === 'any') return
  const types = new Set(alternatives(plain).map(each => each['type']))
  // Where the specification says number, whole numbers alone are no other type.
  if (shape === 'number' && types.delete('integer')) types.add('number')
  assert.deepEqual([...types], [shape], at)
}

function alternatives(plain: Json): Json[] {
  return (plain['anyOf'] as Json[] | undefined) ?? [plain]
}

/** What a reference of an OpenAPI document leads to. */
export function resolved(schema: unknown, root: Json, at: string): Json {
  assert.ok(isObject(schema), `${at} has no schema`)
  const reference = schema['$ref']
  if (typeof reference !== 'string') return schema
  const components = (root['components'] as Json)['schemas'] as Json
  return resolved(components[reference.slice(reference.lastIndexOf('/') + 1)], root, at)
}
