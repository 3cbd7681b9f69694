// Refuses requests whose body could be read to end in two places. Where the native server goes by the first of two
// headers and a proxy before it by the second, the next client's request begins in the middle of another's (RFC 9112,
// 6.3).

import { AppError } from '../../base/errors.ts'
import type { HttpRequest } from './native.ts'

/**
 * AppError BadRequest for a request that announces a body and does not say clearly where it ends, or for which host it
 * is.
 */
export function checkFraming(req: HttpRequest, method: string): void {
  if ((method === 'GET' || method === 'HEAD') && !announcesBody(req)) return
  let [lengths, codings, hosts, unclear] = [0, 0, 0, false]
  req.forEach((name, value) => {
    if (name === 'host') hosts += 1
    else if (name === 'content-length') lengths += 1
    else if (name === 'transfer-encoding') {
      codings += 1
      unclear ||= value !== 'chunked'
    }
  })
  if (lengths + codings === 0) return
  if (hosts > 1) throw new AppError('BadRequest', 'The request has two Host headers.')
  if (lengths + codings > 1) throw new AppError('BadRequest', 'The request says twice where its body ends.')
  if (unclear) throw new AppError('BadRequest', 'Transfer-Encoding can only be chunked.')
}

function announcesBody(req: HttpRequest): boolean {
  return req.getHeader('content-length') !== '' || req.getHeader('transfer-encoding') !== ''
}
