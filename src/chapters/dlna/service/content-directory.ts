// What the actions of the services answer. Long lists are made in turns of the event loop; who asks for all of a folder
// gets at most so many objects, with the whole count beside them, and pages on.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MediaCatalogue } from '../core/media-catalogue.ts'
import type { MediaObject } from '../core/media-objects.ts'
import { TOLD_TYPES } from '../core/media-types.ts'
import { readSortCriteria, SORT_PROPERTIES } from '../core/sort-order.ts'
import {
  DIDL_END,
  DIDL_HEAD,
  type DidlContainer,
  DidlFilter,
  type DidlItem,
  encodeObject,
  protocolInfo,
} from '../wire/didl.ts'
import { ActionError, type AskedAction } from '../wire/soap.ts'
import { xmlText } from '../wire/xml-text.ts'

/** Objects of one answer, and characters. */
const MAX_RETURNED = 5_000
const MAX_RESULT_CHARS = 8 * 1024 * 1024
const OBJECTS_PER_TURN = 100
const UI4 = /^\d{1,10}$/

/** What an action answers: its results in their order; a list of texts is escaped already. */
export type ActionResults = Readonly<Record<string, string | number | readonly string[]>>

/** What answers are made of. */
export interface DirectoryFacts {
  readonly catalogue: MediaCatalogue
  /** Finds out what is not known yet of objects that are to be told; takes a moment at most. */
  look(objects: readonly MediaObject[]): Promise<void>
  /** An object in the words for who asks. */
  told(object: MediaObject): DidlContainer | DidlItem
}

/** What may be sent, as ConnectionManager tells. */
export function sourceProtocols(): string {
  return TOLD_TYPES.map(type => protocolInfo(type, '*')).join(',')
}

/** The answer to an action. Rejects with ActionError. */
export async function answerAction(
  { service, action, parameters }: AskedAction,
  facts: () => Promise<DirectoryFacts>,
): Promise<ActionResults> {
  switch (`${service.key}.${action}`) {
    case 'content.Browse':
      return browse(parameters, await facts())
    case 'content.GetSystemUpdateID':
      return { Id: (await facts()).catalogue.updateId }
    case 'content.GetSearchCapabilities':
      return { SearchCaps: '' }
    case 'content.GetSortCapabilities':
      return { SortCaps: SORT_PROPERTIES.join(',') }
    case 'connections.GetProtocolInfo':
      return { Source: sourceProtocols(), Sink: '' }
    case 'connections.GetCurrentConnectionIDs':
      return { ConnectionIDs: '0' }
    case 'connections.GetCurrentConnectionInfo':
      return connectionInfo(parameters)
    default:
      // IsAuthorized and IsValidated of the registrar: whoever is answered at all may see what there is.
      return { Result: 1 }
  }
}

function connectionInfo(parameters: ReadonlyMap<string, string>): ActionResults {
  if (parameters.get('ConnectionID') !== '0') throw new ActionError(706, 'Invalid connection reference')
  return {
    RcsID: -1,
    AVTransportID: -1,
    ProtocolInfo: '',
    PeerConnectionManager: '',
    PeerConnectionID: -1,
    Direction: 'Output',
    Status: 'OK',
  }
}

async function browse(parameters: ReadonlyMap<string, string>, facts: DirectoryFacts): Promise<ActionResults> {
  const { catalogue } = facts
  const id = needed(parameters, 'ObjectID')
  const flag = needed(parameters, 'BrowseFlag')
  const filter = new DidlFilter(parameters.get('Filter') ?? '*')
  const start = wholeNumber(parameters, 'StartingIndex')
  const count = wholeNumber(parameters, 'RequestedCount')
  const sort = readSortCriteria(parameters.get('SortCriteria') ?? '')
  if (sort === null) throw new ActionError(709, 'Unsupported or invalid sort criteria')
  const object = catalogue.find(id)
  if (object === null) throw new ActionError(701, 'No such object')
  if (flag === 'BrowseMetadata') return listed([object], 1, facts, filter)
  if (flag !== 'BrowseDirectChildren') throw new ActionError(402, 'Invalid Args')
  const children = catalogue.children(id, sort)
  if (children === null) throw new ActionError(710, 'No such container')
  const most = count === 0 ? MAX_RETURNED : Math.min(count, MAX_RETURNED)
  return listed(children.slice(start, start + most), children.length, facts, filter)
}

async function listed(
  objects: readonly MediaObject[],
  total: number,
  { catalogue, look, told }: DirectoryFacts,
  filter: DidlFilter,
): Promise<ActionResults> {
  if (filter.wants('res@duration')) await look(objects)
  const result = [xmlText(DIDL_HEAD)]
  let [returned, chars] = [0, 0]
  for (const object of objects) {
    const text = xmlText(encodeObject(told(object), filter))
    chars += text.length
    if (chars > MAX_RESULT_CHARS && returned > 0) break
    result.push(text)
    returned += 1
    if (returned % OBJECTS_PER_TURN === 0) await nextTurn()
  }
  result.push(xmlText(DIDL_END))
  return { Result: result, NumberReturned: returned, TotalMatches: total, UpdateID: catalogue.updateId }
}

function needed(parameters: ReadonlyMap<string, string>, name: string): string {
  const text = parameters.get(name)
  if (text === undefined || text === '') throw new ActionError(402, 'Invalid Args')
  return text
}

function wholeNumber(parameters: ReadonlyMap<string, string>, name: string): number {
  const text = needed(parameters, name)
  if (!UI4.test(text)) throw new ActionError(402, 'Invalid Args')
  return Number(text)
}
