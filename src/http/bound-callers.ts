// Keys that are bound to a label (decision 0572): which routes they open, and what those have of the node then. What is
// not named here or in a route is refused: a new route or service is closed to them until somebody opens it.

import { AppError } from '../base/errors.ts'
import type { Services } from '../services/api.ts'
import type { CallerPathsService } from '../services/callers-api.ts'
import type { BoundView } from '../services/downloads/bound/bound-api.ts'
import type { KeyHolder } from './auth.ts'
import type { Route, RouteContext } from './route.ts'
import { infohashOf } from './routes/infohash.ts'

const REFUSED = 'This key is bound to a label: it opens nothing but the downloads that have it.'

/** Refused before anything is looked for on disk: what is there, and whose it is, is not to be found out. */
const NO_PATHS: CallerPathsService = {
  admit(request) {
    if (request.uri === undefined && request.destination === undefined) return request
    throw new AppError('ScopeMissing', 'A key that is bound to a label names no folders and files of this machine.')
  },
}

type Path = Readonly<Record<string, string>>

/**
 * What a route has of the node when a key asks that is bound to `label`. AppErrors ScopeMissing (closed to such keys),
 * DownloadNotFound (so it is for all without the label, whether there is such a download or not), NotReady.
 */
export function contextOf(context: RouteContext, label: string, route: Route, path: Path): RouteContext {
  if (route.bound === null) throw new AppError('ScopeMissing', REFUSED)
  const view = context.services.sharing.view(label)
  if (path['infohash'] !== undefined && !view.has(infohashOf(path))) throw new AppError('DownloadNotFound')
  return { ...context, services: servicesOf(context.services, view, route.bound) }
}

/** The holder of a bound key, whose answers about a download end too when that loses the label. */
export function watchedHolder({ services }: RouteContext, holder: KeyHolder, path: Path): KeyHolder {
  const { label, stillMay } = holder
  if (label === null || stillMay === null || path['infohash'] === undefined) return holder
  const infohash = infohashOf(path)
  return { ...holder, stillMay: scope => stillMay(scope) && services.sharing.view(label).has(infohash) }
}

function servicesOf(services: Services, { downloads, events }: BoundView, more: readonly string[]): Services {
  const own: Partial<Services> = { downloads, events, callerPaths: NO_PATHS }
  return new Proxy(own as Services, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name) as unknown
      if (typeof name === 'string' && more.includes(name)) return Reflect.get(services, name) as unknown
      throw new AppError('ScopeMissing', REFUSED)
    },
  })
}
