// The OpenAPI 3.1 document, made from the route table. Schemas are JSON Schema 2020-12 already, so they go in as they
// are; those with a name here become components. Pure.

import type { TObject, TSchema } from '@sinclair/typebox'
import { type ErrorCode, errorTable } from '../base/errors.ts'
import type { Route } from './route.ts'
import { ErrorSchema } from './schemas/core.ts'
import { SettingsSections } from './schemas/settings.ts'
import { DownloadSchema, FileSchema, LinkedFileSchema, PeerSchema, TrackerSchema } from './schemas/downloads.ts'

const components = new Map<unknown, string>([
  [DownloadSchema, 'Download'],
  [FileSchema, 'File'],
  [LinkedFileSchema, 'LinkedFile'],
  [PeerSchema, 'Peer'],
  [TrackerSchema, 'Tracker'],
  [ErrorSchema, 'Error'],
  [SettingsSections, 'Settings'],
])

/** Codes that every route can answer with; those for `open` routes first. */
const COMMON_CODES: readonly ErrorCode[] = ['ForeignHost', 'ForeignOrigin']
const KEYED_CODES: readonly ErrorCode[] = ['Unauthorized', 'ScopeMissing', 'TooManyRequests']
const BODY_CODES: readonly ErrorCode[] = ['BadRequest', 'BodyTooLarge']

type Plain = { [key: string]: unknown }

const DESCRIPTION =
  'Every request carries the header `X-Api-Key`. Bodies are JSON objects or key=value pairs. Errors are ' +
  '`{"error": {"handled", "code", "message"}}`: [all codes](errors.html). Facts that the specification of this interface leaves open are listed ' +
  'under "Choices of this node", here and at each route: they are no facts of the interface and other nodes may differ.'

/** What holds for all routes (decisions part 1). */
const CHOICES: readonly string[] = [
  'The body is taken as JSON when it begins with `{`, else as pairs (lists as repeated `name[]` or `name`); ' +
    'Content-Type is not read. DELETE reads the query too.',
  'Booleans: true and false, 1 and 0, and their texts. An empty value counts as absent; unknown parameters are ' +
    'ignored, except in /settings; those of a body are named in the answer (`ignored`, extra), and refused with `?strict=1`.',
  'A missing or wrong key: 401, also at unknown paths. The key may also come as `Authorization: Bearer`, and for GET ' +
    'and HEAD as `?key=` or `?apikey=`. /docs and /healthz need none.',
  'Host must be localhost, an IP address or a name from api.host_names, else 403 `ForeignHost`; requests of pages of ' +
    'other origins that change something, or name a key in the address: 403 `ForeignOrigin`.',
  'Errors other than those the specification names: 400 parameter, 404 unknown path or infohash (also one that is not ' +
    'hexadecimal), 405 with Allow, 408 metadata not found in time, 409 state, 413 body over 1 MiB (16 MiB where it may hold a torrent), 416 range, 502 ' +
    'source, 503 with Retry-After. While the store is being upgraded only /state, /events, /healthz and /docs answer, the ' +
    'rest 503 `NotReady`. All error codes are names of this node; fields marked "extra" are additions.',
  'Long answers of `GET /downloads`, `GET /downloads/{infohash}`, the dashboard and /docs are compressed by Accept-Encoding (gzip; zstd ' +
    'where the Node that runs this has it), with Vary and a weak ETag: 304 for If-None-Match. No others are.',
]

/** What the document says beside the routes. */
export interface DocumentFacts {
  /** The node's version. */
  readonly version: string
  /** JSON schema of the sections of settings, which this layer does not know. */
  readonly settings: object
}

/** The document for these routes, as a JSON value. */
export function openApiDocument(routes: readonly Route[], { version, settings }: DocumentFacts): Plain {
  const paths: { [path: string]: Plain } = {}
  for (const route of routes) {
    const path = paths[route.path] ?? {}
    paths[route.path] = path
    path[route.method.toLowerCase()] = operation(route)
  }
  const schemas: Plain = {}
  for (const [schema, name] of components) schemas[name] = plainSchema(schema as TSchema, true)
  schemas['Settings'] = settings
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tributary: control interface',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: `${DESCRIPTION}\n\n${choicesText(CHOICES)}`,
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map(route => route.tag))].map(name => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
        queryKey: { type: 'apiKey', in: 'query', name: 'key' },
        signedLink: { type: 'apiKey', in: 'query', name: 'token' },
      },
    },
  }
}

function choicesText(choices: readonly string[]): string {
  return ['**Choices of this node** (left open by the specification):', '', ...choices.map(each => `- ${each}`)].join(
    '\n',
  )
}

function operation(route: Route): Plain {
  const paragraphs = [route.description, route.choices.length === 0 ? '' : choicesText(route.choices)]
  const text = paragraphs.filter(each => each !== '').join('\n\n')
  const made: Plain = {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...(text === '' ? {} : { description: text }),
    parameters: [...pathParameters(route), ...queryParameters(route)],
    responses: responses(route),
    security: security(route),
    'x-scope': route.scope,
  }
  if (hasBody(route)) made['requestBody'] = requestBody(route)
  return made
}

function security(route: Route): Plain[] {
  if (route.scope === 'open') return []
  const keys: Plain[] = [{ apiKey: [] }, { bearer: [] }]
  if (route.method === 'GET') keys.push({ queryKey: [] })
  return route.signedLinks ? [...keys, { signedLink: [] }] : keys
}

function hasBody(route: Route): boolean {
  return route.method !== 'GET' && route.parameters !== null
}

function pathParameters(route: Route): Plain[] {
  const names = [...route.path.matchAll(/\{([^}]*)\}/g)].map(match => match[1])
  return names.map(name => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function queryParameters(route: Route): Plain[] {
  const inQuery = route.method === 'GET' || route.method === 'DELETE' || route.rawBody !== null
  if (!inQuery || route.parameters === null || route.parameters === 'object') return []
  const { properties, required } = route.parameters
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    // What a DELETE needs may be in its body as well.
    required: route.method !== 'DELETE' && (required?.includes(name) ?? false),
    schema: plainSchema(schema),
  }))
}

function requestBody(route: Route): Plain {
  if (route.rawBody !== null) {
    return { required: true, content: { [route.rawBody]: { schema: { type: 'string', format: 'binary' } } } }
  }
  const anyObject = route.bodySchema === null ? { type: 'object' } : plainSchema(route.bodySchema)
  const schema = route.parameters === 'object' ? anyObject : plainSchema(route.parameters as TObject)
  const content: Plain = { 'application/json': { schema, ...sampleBody(route) } }
  if (route.parameters !== 'object') content['application/x-www-form-urlencoded'] = { schema }
  const required = route.parameters !== 'object' && (route.parameters?.required?.length ?? 0) > 0
  return { required: required && route.method !== 'DELETE', content }
}

function sampleBody(route: Route): Plain {
  return route.sample.body === undefined ? {} : { example: route.sample.body }
}

function responses(route: Route): Plain {
  const made: Plain = { [String(route.sample.status)]: success(route) }
  const codes = new Set<ErrorCode>([...route.errors, ...COMMON_CODES])
  if (route.scope !== 'open') for (const code of KEYED_CODES) codes.add(code)
  if (hasBody(route)) for (const code of BODY_CODES) codes.add(code)
  if (route.signedLinks) codes.add('LinkInvalid')
  if (route.kind === 'stream') {
    made['200'] = { description: 'HEAD, or a file of 0 bytes.' }
    made['304'] = { description: 'If-None-Match names the present ETag.' }
  }
  if (route.compressed) made['304'] = { description: 'If-None-Match names the present ETag.' }
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = errorTable[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  for (const [status, list] of byStatus) made[String(status)] = failure(list)
  made['500'] ??= { description: 'An unexpected error (`handled` false).', content: errorContent() }
  return made
}

function failure(codes: readonly ErrorCode[]): Plain {
  const description = codes.map(code => `\`${code}\`: ${errorTable[code].text}`).join(' ')
  return { description, content: errorContent() }
}

function errorContent(): Plain {
  return { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
}

const CONTENT_TYPES: Readonly<Record<Route['kind'], readonly string[]>> = {
  json: ['application/json'],
  bytes: ['application/octet-stream'],
  stream: ['application/octet-stream', 'multipart/byteranges'],
  file: ['application/octet-stream'],
  events: ['application/x-ndjson', 'text/event-stream'],
}

function success(route: Route): Plain {
  const schema = route.reply === null ? {} : plainSchema(route.reply)
  const types = route.contentType === null ? CONTENT_TYPES[route.kind] : [route.contentType]
  return { description: route.summary, content: Object.fromEntries(types.map(type => [type, { schema }])) }
}

// A copy without TypeBox's symbols; named schemas become references, except at the place where they are defined.
function plainSchema(schema: TSchema, define = false): Plain {
  const name = components.get(schema)
  if (name !== undefined && !define) return { $ref: `#/components/schemas/${name}` }
  return plainObject(schema)
}

function plainObject(value: object): Plain {
  const made: Plain = {}
  for (const [key, member] of Object.entries(value)) made[key] = plainValue(member)
  return made
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value !== 'object' || value === null) return value
  const name = components.get(value)
  return name === undefined ? plainObject(value) : { $ref: `#/components/schemas/${name}` }
}
