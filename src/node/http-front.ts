// The HTTP front of the node, as its settings want it: plain, HTTPS, or both.

import {
  createHttpServer,
  type HttpDeps,
  type HttpOptions,
  type HttpServer,
  type ListeningPorts,
} from '../http/index.ts'
import { BuiltFiles } from '../io/files/built-files.ts'
import { PemFiles } from '../io/files/certificate-files.ts'
import { PackageFiles } from '../io/files/package-files.ts'
import type { KeyList } from '../ports/key-list.ts'
import type { GivenLinks } from '../ports/viewing/given-links.ts'
import type { Services } from '../services/api.ts'
import type { Settings } from './settings/settings-schema.ts'

/** Of api.retry_port: ports after the one that is taken. */
const RETRIED_PORTS = 9

/** What the front needs beside its settings. */
export interface HttpFrontParts extends Omit<HttpDeps, 'docsFiles' | 'dashboardFiles' | 'setEnvironment'> {
  readonly services: Services
  readonly furtherKeys: KeyList
  readonly givenLinks: GivenLinks
  readonly version: string
  readonly linkSecret: Uint8Array
  /** Connections at a time. */
  readonly maxConnections: number
}

/** Makes it; nothing listens before start(). */
export function makeHttpFront(api: Settings['api'], parts: HttpFrontParts): HttpServer {
  const { services, furtherKeys, givenLinks, version, linkSecret, maxConnections, ...deps } = parts
  const options: HttpOptions = {
    host: api.http_host,
    port: api.http_port,
    morePorts: api.retry_port ? RETRIED_PORTS : 0,
    plain: api.http_enabled,
    ...(api.https_enabled && {
      https: {
        host: api.https_host,
        port: api.https_port,
        certificate: new PemFiles(api.https_certfile, api.https_keyfile),
      },
    }),
    apiKey: api.key,
    furtherKeys,
    hostNames: api.host_names,
    origins: api.origins,
    silentReaderMs: api.stream_silent_seconds * 1000,
    version,
    linkSecret,
    linkLifetimeMs: api.link_hours * 3600 * 1000,
    givenLinks,
    maxConnections,
  }
  return createHttpServer(options, services, {
    ...deps,
    docsFiles: new PackageFiles('swagger-ui-dist', new URL('../bundle/swagger-ui/', import.meta.url)),
    dashboardFiles: new BuiltFiles(new URL('../web/page/', import.meta.url)),
    setEnvironment: (name, value) => {
      process.env[name] = value
    },
  })
}

/** Where clients of this machine reach it, plain HTTP first. */
export function baseUrls(api: Settings['api'], { http, https }: ListeningPorts): string[] {
  const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)
  return [
    ...(http === null ? [] : [`http://${bracketed(api.http_host)}:${http}`]),
    ...(https === null ? [] : [`https://${bracketed(api.https_host)}:${https}`]),
  ]
}
