// One request, copied out of the native object, which is only valid until the handler returns.

import type { HttpRequest } from './native.ts'

/** What the node reads of a request. Header texts are empty when absent. */
export interface RequestHead {
  /** Upper case. */
  readonly method: string
  /** As sent, not decoded, without the query. */
  readonly path: string
  readonly queryText: string
  readonly query: URLSearchParams
  readonly host: string
  readonly origin: string
  readonly fetchSite: string
  readonly apiKey: string
  readonly authorization: string
  readonly accept: string
  readonly contentLength: string
  readonly lastEventId: string
  readonly range: string
  readonly ifRange: string
  readonly ifNoneMatch: string
}

// Nobody writes to a query.
const NO_QUERY = new URLSearchParams()

/** Copies the head. */
export function copyHead(req: HttpRequest): RequestHead {
  // The package's types say text, but without a question mark it is undefined.
  const queryText = (req.getQuery() as string | undefined) ?? ''
  return {
    method: req.getCaseSensitiveMethod(),
    path: req.getUrl(),
    queryText,
    query: queryText === '' ? NO_QUERY : new URLSearchParams(queryText),
    host: req.getHeader('host'),
    origin: req.getHeader('origin'),
    fetchSite: req.getHeader('sec-fetch-site'),
    apiKey: req.getHeader('x-api-key'),
    authorization: req.getHeader('authorization'),
    accept: req.getHeader('accept'),
    contentLength: req.getHeader('content-length'),
    lastEventId: req.getHeader('last-event-id'),
    range: req.getHeader('range'),
    ifRange: req.getHeader('if-range'),
    ifNoneMatch: req.getHeader('if-none-match'),
  }
}
