// Where the server listens: plain HTTP at one port, which no other process may have.

import { AppError } from '../../base/errors.ts'
import type { HttpRequest, HttpResponse, ListenSocket, NativeApp, NativeServer } from './native.ts'

/** Takes every request. */
export type Handler = (res: HttpResponse, req: HttpRequest) => void

/** Where to listen. */
export interface ListenPlace {
  /** An IP literal or `localhost`. */
  readonly host: string
  /** 0 or -1: a free port. */
  readonly port: number
  /** When that port is taken, so many after it are tried. */
  readonly morePorts: number
}

const MAX_PORT = 65_535

/** Listens at the port, or at the first after it that is free. AppError PortTaken. */
export async function listenSomewhere(
  native: NativeServer,
  app: NativeApp,
  place: ListenPlace,
  /** Without the exclusive flag two nodes could share one port, and each would get half of the requests. */
  flags = native.LIBUS_LISTEN_EXCLUSIVE_PORT,
): Promise<ListenSocket> {
  const { host, port, morePorts } = place
  const last = port <= 0 ? port : Math.min(port + morePorts, MAX_PORT)
  for (let tried = port; tried < last; tried++) {
    const socket = await listenAt(app, host, tried, flags).catch(() => null)
    if (socket !== null) return socket
  }
  return listenAt(app, host, last, flags)
}

/** AppError PortTaken. */
export function listenAt(app: NativeApp, host: string, port: number, flags: number): Promise<ListenSocket> {
  return new Promise((resolve, reject) => {
    app.listen(host, Math.max(0, port), flags, socket => {
      if (socket !== false) resolve(socket)
      else
        reject(new AppError('PortTaken', `Cannot listen on ${host} port ${port}: it is already in use, or needs root.`))
    })
  })
}

/**
 * Listens at a port that can be listened at again right after the end, though connections of before are still being
 * forgotten: the native server does not prepare that at port 0, so a free one is found first. AppError PortTaken.
 */
export async function listenAgain(
  native: NativeServer,
  app: NativeApp,
  { host, port }: Omit<ListenPlace, 'morePorts'>,
): Promise<ListenSocket> {
  const flags = native.LIBUS_LISTEN_EXCLUSIVE_PORT
  if (port > 0) return listenAt(app, host, port, flags)
  const probe = native.App()
  const found = await listenAt(probe, host, 0, flags)
  const free = native.us_socket_local_port(found)
  native.us_listen_socket_close(found)
  probe.close()
  return listenAt(app, host, free, flags)
}
