// The OpenAPI document: valid for a public validator, complete, and equal to what the routes do.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { errorTable } from '../../../src/base/errors.ts'
import { routeTable } from '../../kit/all-routes.ts'
import { type Running, ask, startServer } from './harness.ts'

interface Operation {
  operationId: string
  description?: string
  responses: Record<string, { description: string; content?: Record<string, unknown> }>
  parameters: { name: string; in: string }[]
}
interface Document {
  openapi: string
  info: { description: string }
  paths: Record<string, Record<string, Operation>>
}

let server: Running
let document: Document
before(async () => {
  server = await startServer()
  document = (await ask(server.port, '/docs/openapi.json', { key: false })).json() as Document
})
after(() => server.stop())

test('a public validator accepts it as OpenAPI 3.1', async () => {
  assert.match(document.openapi, /^3\.1\./)
  const result = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>)
  assert.deepEqual(result.errors ?? [], [])
  assert.equal(result.valid, true)
})

test('every route stands in it once, and nothing else', () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => `${method.toUpperCase()} ${path} ${operation.operationId}`),
  )
  const served = routeTable.map(route => `${route.method} ${route.path} ${route.id}`)
  assert.deepEqual(documented.sort(), served.sort())
})

test('every error code of a route is documented under its status', () => {
  for (const route of routeTable) {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()]
    for (const code of route.errors) {
      const response = operation?.responses[String(errorTable[code].status)]
      assert.ok(response?.description.includes(`\`${code}\``), `${route.id} ${code}`)
    }
  }
})

test('what the specification leaves open is marked, in general and at every route', () => {
  const heading = '**Choices of this node** (left open by the specification):'
  assert.ok(document.info.description.includes(`${heading}\n\n- `))
  for (const route of routeTable) {
    if (route.tag === 'documentation') continue
    assert.ok(route.choices.length > 0, route.id)
    const text = document.paths[route.path]?.[route.method.toLowerCase()]?.description ?? ''
    assert.ok(text.includes(heading), route.id)
    for (const choice of route.choices) assert.ok(text.includes(`- ${choice}`), route.id)
  }
})

test('the documented type of an answer is the one it has', async () => {
  for (const route of routeTable.filter(each => each.kind === 'bytes' && !/\.(asset|part)$/.test(each.id))) {
    const { headers } = await ask(server.port, route.sample.path)
    const documented = document.paths[route.path]?.['get']?.responses['200']?.content ?? {}
    assert.deepEqual(Object.keys(documented), [headers['content-type']?.split(';')[0]], route.id)
  }
})

test('the path names of every route are its path parameters', () => {
  for (const route of routeTable) {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()]
    const names = operation?.parameters.filter(each => each.in === 'path').map(each => `{${each.name}}`)
    assert.deepEqual(names, route.path.match(/\{[^}]*\}/g) ?? [])
  }
})
