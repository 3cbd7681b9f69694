// Paths that clients name, by who they are: the first key may name any, other keys only those in the allowed folders,
// and files as sources of torrents only with scope admin (decisions part 1).

import { fileURLToPath } from 'node:url'
import { AppError } from '../base/errors.ts'
import type { ClientPaths } from '../ports/new-files.ts'
import type { Caller, CallerPathsService, NamedPaths } from './callers-api.ts'

/** See CallerPathsService. */
export class CallerPaths implements CallerPathsService {
  readonly #paths: ClientPaths

  constructor(paths: ClientPaths) {
    this.#paths = paths
  }

  admit<T extends NamedPaths>(request: T, caller: Caller): T | Promise<T> {
    if (caller.anyPath) return request
    const local = localPath(request.uri)
    if (local === null && request.destination === undefined) return request
    return this.#admit(request, local, caller)
  }

  async #admit<T extends NamedPaths>(request: T, local: string | null, caller: Caller): Promise<T> {
    if (local !== null && !caller.localFiles) {
      throw new AppError(
        'ScopeMissing',
        'Files of this machine are sources of torrents only for keys with scope admin.',
      )
    }
    const { destination } = request
    return {
      ...request,
      ...(local === null ? {} : { uri: await this.#paths.resolve(local, caller) }),
      ...(destination === undefined
        ? {}
        : { destination: await this.#paths.resolveNew(destination, caller), linkless: true }),
    }
  }
}

/** The path that a uri names; null when it is none of this machine. */
function localPath(uri: string | undefined): string | null {
  if (uri === undefined) return null
  if (uri.startsWith('/')) return uri
  if (!/^file:/i.test(uri)) return null
  try {
    return fileURLToPath(uri)
  } catch {
    throw new AppError('TorrentUnreadable', 'The file uri names no local file.')
  }
}
