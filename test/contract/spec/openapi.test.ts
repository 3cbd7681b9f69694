// The OpenAPI document of a running node against the specification's table: every row is in it with these parameters,
// statuses and fields and no others, additions are marked, and what is not in the table says that it is an addition.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import { ERROR, EVENTS } from './records.ts'
import { SPEC_ROUTES, type SpecRoute } from './routes.ts'
import { assertSchema, assertValue, isObject, type Json, resolved, type Shape } from './shapes.ts'
import { specParts } from './spec-parts.ts'

interface Operation {
  readonly description?: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    schema: Json
  }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Json }> }
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Json }> }>
  readonly security: readonly Json[]
}

const allRoutes = [...SPEC_ROUTES, ...specParts.flatMap(({ documented = [] }) => documented)]
const allEvents = specParts.reduce((all, { events = {} }) => ({ ...all, ...events }), EVENTS)
/** First segments of the paths that only chapters' own tests ask. */
const documentedOnly = new Set(
  specParts.flatMap(({ documented = [] }) => documented.map(({ path }) => path.split('/')[1])),
)

let node: NodeProcess
let document: Json
before(async () => {
  node = await startNode()
  document = (await node.request('GET', '/docs/openapi.json')).json<Json>()
})
after(() => node.stop())

function operationOf(route: SpecRoute): Operation {
  const methods = (document['paths'] as Record<string, Record<string, Operation>>)[route.path]
  const operation = methods?.[route.method.toLowerCase()]
  assert.ok(operation !== undefined, 'it does not stand in the document')
  return operation
}

interface Documented {
  readonly schema: Json
  readonly required: boolean
}

/** Parameters beside those of the path, by name. */
function documentedParameters(route: SpecRoute, operation: Operation): Record<string, Documented> {
  const found: Record<string, Documented> = {}
  for (const each of operation.parameters) {
    if (each.in === 'query') found[each.name] = { schema: each.schema, required: each.required }
  }
  const content = operation.requestBody?.content ?? {}
  const schema = content['application/json']?.schema
  if (schema === undefined || route.path === '/settings') return found
  // Both forms of rule 3 take the same.
  assert.deepEqual(content['application/x-www-form-urlencoded']?.schema, schema)
  const required = (schema['required'] ?? []) as string[]
  for (const [name, each] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
    found[name] = { schema: each, required: required.includes(name) }
  }
  return found
}

/** Names of additions in a shape, with where they stand. */
function extrasOf(shape: Shape, at = ''): [name: string, path: string[]][] {
  if (typeof shape === 'string' || 'values' in shape) return []
  if ('list' in shape) return extrasOf(shape.list, at)
  if ('map' in shape) return extrasOf(shape.map, at)
  if ('nullable' in shape) return extrasOf(shape.nullable, at)
  const here = { ...shape.extra, ...shape.sometimes }
  const deeper = Object.entries({ ...shape.fields, ...shape.asked }).flatMap(([name, each]) => extrasOf(each, name))
  return [...Object.keys(here).map((name): [string, string[]] => [name, at === '' ? [] : [at]]), ...deeper]
}

describe('each row of the table', () => {
  for (const route of allRoutes) {
    test(`${route.part} ${route.method} ${route.path}: parameters`, () => {
      const operation = operationOf(route)
      const inPath = operation.parameters.filter(each => each.in === 'path').map(({ name }) => `{${name}}`)
      assert.deepEqual(inPath, route.path.match(/\{\w+\}/g) ?? [])
      const found = documentedParameters(route, operation)
      const specified = Object.entries(route.parameters).map(([name, each]) => [name.replace('[]', ''), each] as const)
      const names = [...specified.map(([name]) => name), ...(route.extraParameters ?? [])]
      assert.deepEqual(Object.keys(found).sort(), names.sort())
      for (const [name, { type, required }] of specified) {
        const { schema, required: shown } = found[name] ?? { schema: {}, required: false }
        assertSchema(schema, type, document, name)
        assert.equal(shown, required === true, `${name} is required`)
      }
      for (const name of route.extraParameters ?? []) {
        assert.ok(toldAsExtra(operation, name, found[name]?.schema), `${name} is an addition, and nobody is told`)
      }
    })

    test(`${route.part} ${route.method} ${route.path}: answers`, () => {
      const operation = operationOf(route)
      const content = operation.responses[String(route.status)]?.content ?? {}
      if ('json' in route.answer) {
        assert.deepEqual(Object.keys(content), ['application/json'])
        const schema = content['application/json']?.schema
        assertSchema(schema, route.answer.json, document, 'answer')
        for (const [name] of extrasOf(route.answer.json)) {
          assert.ok(
            toldAsExtra(operation, name, propertyOf(schema, name)),
            `${name} is an addition, and nobody is told`,
          )
        }
      } else if ('events' in route.answer) {
        assert.deepEqual(Object.keys(content), ['application/x-ndjson', 'text/event-stream'])
      } else assert.ok(Object.keys(content).length > 0)
      const failures = new Set([401, 403, 500, ...route.failures].map(String))
      const shown = Object.keys(operation.responses).filter(status => Number(status) >= 400)
      // More may fail than the table says; what it says must stand there.
      for (const status of failures) assert.ok(shown.includes(status), `${status} is missing in ${shown.join()}`)
      for (const status of shown) {
        assertSchema(operation.responses[status]?.content?.['application/json']?.schema, ERROR, document, status)
      }
      assert.ok(operation.security.some(each => 'apiKey' in each))
    })
  }
})

/** The schema of a property of this name anywhere in `schema`. */
function propertyOf(schema: unknown, name: string): Json | undefined {
  if (!isObject(schema)) return undefined
  const plain = resolved(schema, document, name)
  const properties = (plain['properties'] ?? {}) as Json
  if (isObject(properties[name]) && 'type' in plain) return properties[name]
  const inner = [...Object.values(properties), plain['items'], ...((plain['anyOf'] as unknown[] | undefined) ?? [])]
  for (const each of inner) {
    const found = propertyOf(each, name)
    if (found !== undefined) return found
  }
  return undefined
}

/** Its own description says so, or the choices of the operation name it beside the word. */
function toldAsExtra(operation: Operation, name: string, schema: Json | undefined): boolean {
  const own = schema?.['description']
  if (typeof own === 'string' && /\bextra\b/.test(own)) return true
  const lines = (operation.description ?? '').split('\n').filter(line => /\bextra\b/i.test(line))
  return lines.some(line => covers(line, name))
}

/** `num_connected_*` stands for all that begin so; `from \`id\` on` for the rest of a record. */
function covers(line: string, name: string): boolean {
  const names = [...line.matchAll(/`([a-z_*]+)`/g)].map(match => match[1] ?? '')
  if (/fields from `id` on/.test(line)) return true
  return names.some(
    each => each === name || (each.includes('*') && new RegExp(`^${each.replace('*', '.*')}$`).test(name)),
  )
}

test('a public validator takes the document of a running node', async () => {
  const result = await new Validator().validate(structuredClone(document))
  assert.deepEqual([result.errors ?? [], result.valid], [[], true])
})

test('every type of event of part 6 stands in the document with its keys', () => {
  const { description = '' } =
    (document['paths'] as Record<string, Record<string, Operation>>)['/events']?.['get'] ?? {}
  const keysOf = (type: string): string => {
    // `a and b: keys;` tells those of both.
    const found = new RegExp(`(?:^|[\\s;])${type}(?: and \\w+)?: ([^;.]+)`).exec(description.replaceAll('\n', ' '))
    return found?.[1] ?? ''
  }
  for (const [type, payload] of Object.entries(allEvents)) {
    assert.ok(description.includes(`- \`${type}\`: `), `${type} is not listed`)
    for (const key of Object.keys(payload?.fields ?? {})) assert.ok(keysOf(type).includes(key), `${type} ${key}`)
  }
})

test('what the table does not have says that it is an addition, or a page of the documentation', () => {
  const rows = new Set(SPEC_ROUTES.map(({ method, path }) => `${method} ${path}`))
  const silent = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).flatMap(([method, { description = '' }]) => {
        if (
          rows.has(`${method.toUpperCase()} ${path}`) ||
          documentedOnly.has(path.split('/')[1]) ||
          path.startsWith('/docs')
        )
          return []
        return /\bextra\b/i.test(description) ? [] : [`${method.toUpperCase()} ${path}`]
      }),
  )
  assert.deepEqual(silent, [])
})

test('every section and option of GET /settings stands in the document, with its type, and no other', async () => {
  const { settings } = await node.get<{ settings: Record<string, Json> }>('/settings')
  const sections = resolved({ $ref: '#/components/schemas/Settings' }, document, 'Settings')['properties'] as Json
  assert.deepEqual(Object.keys(sections), Object.keys(settings))
  for (const [section, options] of Object.entries(settings)) {
    const shown = (sections[section] as Json)['properties'] as Record<string, Json>
    assert.deepEqual(Object.keys(shown), Object.keys(options), section)
    for (const [name, value] of Object.entries(options)) {
      const { type, items } = shown[name] ?? {}
      if (Array.isArray(type)) assert.equal(value, null, `${section}.${name} is a secret`)
      else if (type === 'array') assertValue(value, { list: (items as Json)['type'] as 'string' }, name)
      else assertValue(value, type as 'string', name)
    }
  }
})
