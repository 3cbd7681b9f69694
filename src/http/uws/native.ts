// The native server as this program uses it: its types with what its package leaves out, and the way it is loaded.
// Nothing outside this folder imports it.

import { createRequire } from 'node:module'
import type { HttpRequest, HttpResponse, us_listen_socket } from 'uWebSockets.js'

export type { HttpRequest, HttpResponse }
/** A listening socket of the native server. */
export type ListenSocket = us_listen_socket

/** The parts of a native app in use; the four-argument listen is missing in the package's types. */
export interface NativeApp {
  any(pattern: string, handler: (res: HttpResponse, req: HttpRequest) => void): unknown
  listen(host: string, port: number, options: number, done: (socket: ListenSocket | false) => void): unknown
  /** Told of each connection that comes (1) and goes (-1). */
  filter(seen: (res: HttpResponse, change: number) => void): unknown
  close(): unknown
}

/** The functions of the native module that are used. */
export interface NativeServer {
  App(): NativeApp
  /** Throws Error when the files cannot be used. */
  SSLApp(options: { readonly cert_file_name: string; readonly key_file_name: string }): NativeApp
  us_listen_socket_close(socket: ListenSocket): void
  us_socket_local_port(socket: ListenSocket): number
  LIBUS_LISTEN_EXCLUSIVE_PORT: number
  _cfg(key: string): void
}

/** Bytes of a request head: magnets in a path exceed the native default of 4 KiB (decisions part 1). */
const HEAD_BYTES = 64 * 1024
/** Leaves the native server's own advertisement header out. */
const NO_MARK = '999999990007'

/**
 * Loads the native server. Its limit of the request head is read from the environment while it loads. `file`: where its
 * machine code lies; null: its package knows.
 */
export async function loadNative(
  setEnvironment: (name: string, value: string) => void,
  file: string | null = null,
): Promise<NativeServer> {
  setEnvironment('UWS_HTTP_MAX_HEADERS_SIZE', String(HEAD_BYTES))
  const native = (file === null ? null : atOnce(file)) ?? ((await import('uWebSockets.js')) as unknown as NativeServer)
  native._cfg(NO_MARK)
  return native
}

/**
 * The machine code without the two ECMAScript modules around it, which cost a start 2 ms of CPU. Null: it cannot be
 * loaded, and the package says why.
 */
function atOnce(file: string): NativeServer | null {
  try {
    return createRequire(import.meta.url)(file) as NativeServer
  } catch {
    return null
  }
}

/** Loads the native server and nothing else; rejects with what the system says when it is not made for this machine. */
export async function tryNativeServer(): Promise<void> {
  await import('uWebSockets.js')
}
