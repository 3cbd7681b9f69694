// The public face of the HTTP front.

export { routeTable } from './table.ts'
export type { FurtherListening } from './further-listener.ts'
export type { HttpDeps, HttpOptions, HttpServer, ListeningPorts } from './options.ts'
export { tryNativeServer } from './uws/native.ts'
export { createHttpServer } from './uws/server.ts'
