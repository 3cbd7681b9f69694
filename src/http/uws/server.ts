// The server on uWebSockets.js: listens, hands every request to its route, stops.

import type { Services } from '../../services/api.ts'
import type { HttpDeps, HttpOptions, HttpServer } from '../options.ts'
import { UwsServer } from './uws-server.ts'

/** Makes the HTTP front of the node; nothing listens before start(). */
export function createHttpServer(options: HttpOptions, services: Services, deps: HttpDeps): HttpServer {
  return new UwsServer(options, services, deps)
}
