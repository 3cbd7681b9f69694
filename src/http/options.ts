// Options of the HTTP server: values only, decided in src/node. Nothing here changes while it runs.

import type { FurtherListening } from './further-listener.ts'
import type { RouteTable } from './route.ts'
import type { Secret } from '../base/secret.ts'
import type { Arena } from '../ports/arena.ts'
import type { CertificateFiles } from '../ports/certificate-files.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeyList } from '../ports/key-list.ts'
import type { GivenLinks } from '../ports/viewing/given-links.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { StaticFiles } from '../ports/static-files.ts'

/** How the front is set up; none of it changes while it runs. */
export interface HttpOptions {
  /** Address to listen on: an IP literal or `localhost`. */
  readonly host: string
  /** 0 or -1: a free port. */
  readonly port: number
  /** When that port is taken, so many after it are tried. Default 0. */
  readonly morePorts?: number
  /** False: no plain HTTP. Default true. */
  readonly plain?: boolean
  /** Absent: no HTTPS. */
  readonly https?: HttpsOptions
  /** The first key. Empty: no key is asked for (the configuration allows that on loopback addresses only). */
  readonly apiKey: Secret
  /** Further keys; absent = none. */
  readonly furtherKeys?: KeyList
  /** Names other than `localhost` and IP literals that the Host header may have, lower case, without port. */
  readonly hostNames: readonly string[]
  /** Origins of foreign pages that may use the interface, as browsers send them (`http://host:port`). */
  readonly origins: readonly string[]
  /** A stream whose client takes nothing for this long is cut, milliseconds. Default 10 minutes. */
  readonly silentReaderMs?: number
  /** Streams that may be open at once. Default 2,000. */
  readonly maxStreams?: number
  /** Connections that may be open at once; further ones are closed unheard. Default: as many as the system allows. */
  readonly maxConnections?: number
  /** Event followers that may be connected at once. Default 256. */
  readonly maxFollowers?: number
  /** Version of the node, shown in the documentation. */
  readonly version: string
  /** Key of the MAC in signed stream links, at least 32 bytes; kept over restarts so that links survive them. */
  readonly linkSecret: Uint8Array
  /** How long a signed link opens its file, milliseconds. Default 24 hours. */
  readonly linkLifetimeMs?: number
  /** Links that were given away for longer; absent = none. */
  readonly givenLinks?: GivenLinks
}

/** HTTPS beside or in the place of plain HTTP. */
export interface HttpsOptions {
  /** As of plain HTTP. */
  readonly host: string
  readonly port: number
  readonly certificate: CertificateFiles
}

/** Ports that are listened on; null = not asked for. */
export interface ListeningPorts {
  readonly http: number | null
  readonly https: number | null
}

/** What the front needs of the node beside the services. */
export interface HttpDeps {
  /** Every route (table.ts). */
  readonly routes: RouteTable
  readonly rangeArena: Arena
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  /** The files of the package swagger-ui-dist. */
  readonly docsFiles: StaticFiles
  /** The dashboard as it was built: `index.html` and what it names. */
  readonly dashboardFiles: StaticFiles
  /** Sets a variable of the process environment; called once, before the native server is loaded. */
  setEnvironment(name: string, value: string): void
  /** Called for every error that is a bug (answered 500 with `handled: false`). Must not throw. */
  onException(error: unknown): void
}

/** The running front. Listeners of others are there from its start on. */
export interface HttpServer extends FurtherListening {
  /**
   * Listens. `nativeFile`: where the machine code of the native server lies; without it, where its package says.
   * AppErrors PortTaken when another process listens there, BadConfiguration (certificate).
   */
  start(nativeFile?: string | null): Promise<ListeningPorts>
  /** Stops listening, lets answers under way finish for at most `deadlineMs`, then cuts every connection. */
  stop(deadlineMs: number): Promise<void>
}
