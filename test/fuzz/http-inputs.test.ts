// What clients send: any body, query or Range header gives parameters that satisfy the schema, a plan that adds up, or
// an AppError with a 4xx status; nothing else is ever thrown.

import assert from 'node:assert/strict'
import { Value } from '@sinclair/typebox/value'
import { AppError, errorTable } from '../../src/base/errors.ts'
import { InputCheck } from '../../src/http/checked-input.ts'
import { chooseCoding } from '../../src/http/accept-encoding.ts'
import { askedList } from '../../src/http/list-query.ts'
import { hostAllowed } from '../../src/http/origin.ts'
import { chooseRanges } from '../../src/http/range-header.ts'
import { parseBody, parsePairs } from '../../src/http/raw-parameters.ts'
import {
  AddParameters,
  DownloadSchema,
  PageParameters,
  PatchParameters,
  UploadParameters,
} from '../../src/http/schemas/downloads.ts'
import { StreamedFile, partLength, planStream } from '../../src/http/stream-plan.ts'
import { readFilter } from '../../src/services/downloads/list/list-filter.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'

const SEEDS = [
  '{"uri":"magnet:?x","anon_hops":1,"safe_seeding":true,"selected_files":[0,1],"destination":"/a"}',
  'uri=magnet%3A%3Fx&anon_hops=1&safe_seeding=1&selected_files[]=0&selected_files[]=1',
  '{"selected_files":["1"],"state":"stop","uri":{"__proto__":[]}}',
  'get_peers=1&get_files=false&selected_files=&uri=&uri=&%zz=%',
  '{"labels":["a",""],"file_priorities":[-1,7,0],"seeding_ratio":-2,"seeding_time":"90","sequential":0}',
  'labels[]=a&labels[]=b&file_priorities=7&seeding_ratio=0.5&max_upload_speed=10&max_download_speed=&sequential=true',
].map(text => Buffer.from(text))

const checks = [
  [AddParameters, new InputCheck(AddParameters, { torrent: 'uri' })],
  [PatchParameters, new InputCheck(PatchParameters, {})],
  [UploadParameters, new InputCheck(UploadParameters, {})],
  [PageParameters, new InputCheck(PageParameters, {})],
] as const

/** The result, or null for a client's error; anything else thrown fails the test. */
function attempt<T>(run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    if (error instanceof AppError && errorTable[error.code].status < 500) return null
    throw error
  }
}

fuzz('bodies', 0.4, (source: Fuzz) => {
  const bytes = source.mutate(source.below(4) === 0 ? source.bytes(300) : source.pick(SEEDS))
  const raw = attempt(() => parseBody(bytes))
  if (raw === null) return
  for (const [schema, check] of checks) {
    const values = attempt(() => check.check(raw))
    if (values !== null) assert.ok(Value.Check(schema, values), Buffer.from(bytes).toString())
  }
})

fuzz('queries and hosts', 0.2, (source: Fuzz) => {
  const text = Buffer.from(source.mutate(source.pick(SEEDS))).toString('latin1')
  parsePairs(text)
  hostAllowed(text, ['a'])
})

const LIST_SEEDS = [
  `limit=5&after=${'ab'.repeat(20)}&filter=seeding,"a b" label:x&sort=-name&fields=name,size&infohash=${'cd'.repeat(32)}`,
  'filter=state:active%20status:%22moving%22&fields[]=peers&fields[]=name&get_files=1&limit=1000',
  'filter="%22&sort=__proto__&fields=__proto__,constructor&infohash=,,&limit=0',
].map(text => Buffer.from(text))

const listCheck = new InputCheck(PageParameters, {})

fuzz('parts of the list', 0.3, (source: Fuzz) => {
  const text = Buffer.from(source.mutate(source.pick(LIST_SEEDS))).toString('latin1')
  const query = attempt(() => askedList(listCheck.check(parsePairs(text))))?.query ?? null
  if (query === null) return
  assert.ok(query.limit === null || (query.limit >= 1 && query.limit <= 1000), text)
  assert.ok(query.sort === null || Object.hasOwn(DownloadSchema.properties, query.sort), text)
  const filter = attempt(() => readFilter(query.filter))
  if (filter === null) return
  assert.equal(readFilter(query.filter).key, filter.key)
  filter.matches({ bits: source.below(2 ** 17), text: 'a b', labels: ['x'], hosts: ['y'], folder: '/z', size: 7 })
})

const CODING_SEEDS = ['gzip, zstd;q=0.5, *;q=0', 'identity;q=0, x-gzip;q=1.000,br'].map(text => Buffer.from(text))

fuzz('content codings', 0.2, (source: Fuzz) => {
  const header = Buffer.from(source.mutate(source.pick(CODING_SEEDS))).toString('latin1')
  const coding = chooseCoding(header, ['zstd', 'gzip'])
  assert.ok(coding === null || header.includes('*') || header.toLowerCase().includes(coding), header)
})

const RANGE_SEEDS = ['bytes=0-1', 'bytes=-5,3-', 'bytes=1-2, 4-5 ,6-', 'bytes=999-1000'].map(text => Buffer.from(text))

fuzz('ranges', 0.4, (source: Fuzz) => {
  const range = Buffer.from(source.mutate(source.pick(RANGE_SEEDS))).toString('latin1')
  const size = source.below(source.pick([1, 2, 10, 1_000_000]))
  const choice = chooseRanges(range, size)
  if (typeof choice !== 'string') {
    for (const { start, end } of choice) assert.ok(start >= 0 && start < end && end <= size, range)
  }
  const file = new StreamedFile({ size, tag: 't', contentType: 'a/b' })
  const plan = planStream({ head: false, ifRange: '', ifNoneMatch: '', range, file, boundary: () => 'x' })
  assert.equal(
    plan.length,
    plan.parts.reduce((sum, part) => sum + partLength(part), 0),
  )
  assert.ok([200, 206, 416].includes(plan.status))
})
