// From the parameters of GET /downloads to what the service is asked: names in lists are split at commas, and what
// names nothing is refused with its name. Pure.

import type { Static } from '@sinclair/typebox'
import { AppError } from '../base/errors.ts'
import { type ListQuery, SORT_FIELDS } from '../services/downloads/list/list-query-api.ts'
import { DownloadSchema, type PageParameters } from './schemas/downloads.ts'

/** Names in one list, after they were split. */
const MAX_NAMES = 1000

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i
/** Fields that are made when they are asked for. */
const PARTS = ['peers', 'pieces', 'files'] as const

/** A query of a part of the list, or of all of it. */
export interface AskedList {
  /** Null: none of its parameters was given. */
  readonly query: ListQuery | null
  /** Null: all. */
  readonly fields: readonly string[] | null
  readonly peers: boolean
  readonly pieces: boolean
  readonly files: boolean
}

/** What is asked for. AppError InvalidParameter naming what is wrong. */
export function askedList(parameters: Static<typeof PageParameters>): AskedList {
  const { limit, after, offset, filter, sort, infohash, get_totals: totals, get_facets: facets } = parameters
  const fields = parameters.fields === undefined ? null : fieldsOf(parameters.fields)
  const [peers, pieces, files] = PARTS.map(
    part => parameters[`get_${part}`] === true || fields?.includes(part) === true,
  ) as [boolean, boolean, boolean]
  const asked = [limit, after, offset, filter, sort, infohash, fields ?? undefined]
  const given = totals === true || facets === true || asked.some(one => one !== undefined)
  const query = {
    only: infohash === undefined ? null : infohashesOf(infohash),
    filter: filter ?? '',
    ...orderOf(sort ?? ''),
    after: after ?? null,
    offset: offset ?? 0,
    limit: limit ?? null,
    totals: totals === true,
    facets: facets === true,
  }
  return { query: given ? query : null, fields, peers, pieces, files }
}

function orderOf(text: string): Pick<ListQuery, 'sort' | 'descending'> {
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  if (name === '' && !descending) return { sort: null, descending }
  const sort = SORT_FIELDS.find(field => field === name)
  if (sort !== undefined) return { sort, descending }
  throw new AppError(
    'InvalidParameter',
    `The parameter sort names no field that the list can be sorted by: ${name}. Fields: ${SORT_FIELDS.join(', ')}.`,
  )
}

function infohashesOf(lists: readonly string[]): readonly string[] {
  const names = namesIn(lists, 'infohash')
  const wrong = names.find(name => !HASH.test(name))
  if (wrong === undefined) return names
  throw new AppError('InvalidParameter', `The parameter infohash holds what is no infohash: ${wrong}.`)
}

function fieldsOf(lists: readonly string[]): readonly string[] {
  const names = [...new Set(namesIn(lists, 'fields'))]
  const wrong = names.find(name => !Object.hasOwn(DownloadSchema.properties, name))
  if (wrong === undefined) return names
  throw new AppError('InvalidParameter', `The parameter fields names no field of a download: ${wrong}.`)
}

function namesIn(lists: readonly string[], parameter: string): readonly string[] {
  const names = lists
    .flatMap(list => list.split(','))
    .map(name => name.trim())
    .filter(name => name !== '')
  if (names.length === 0) throw new AppError('InvalidParameter', `The parameter ${parameter} names nothing.`)
  if (names.length <= MAX_NAMES) return names
  throw new AppError('InvalidParameter', `The parameter ${parameter} holds more than ${MAX_NAMES} names.`)
}
