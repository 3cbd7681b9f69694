// The public face of the HTTP front.

export type { HttpDeps, HttpOptions, HttpServer } from './options.ts'
export { createHttpServer } from './uws/server.ts'
