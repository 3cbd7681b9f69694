// Who may change a setting by a request, by whichever interface: judged by a table of rights, before anything changes.

import { AppError } from '../../base/errors.ts'
import type { ClientPaths } from '../../ports/new-files.ts'
import type { Caller } from '../callers-api.ts'

/**
 * Who may change an option. `admin`: every key that may change settings. `first`: the first key alone. `folder`: it
 * names folders that are written to: every such key, where its holder may name them, and none may be among the node's
 * own files. `file`: it names files that are read: every such key, where its holder may name them. `owner`: it names a
 * program, and is set in the configuration file or by a flag alone.
 */
export type SettingRight = 'admin' | 'first' | 'folder' | 'file' | 'owner'

/** An option that a request would change. */
export interface AskedSetting {
  /** `section.option`. */
  readonly path: string
  readonly value: unknown
  /** In force now. */
  readonly current: unknown
}

/**
 * Who may change a setting by a request, over whatever door it comes: judged by a table of rights, before anything
 * changes.
 */
export class SettingRights {
  readonly #rightOf: (path: string) => SettingRight
  readonly #paths: Pick<ClientPaths, 'resolveNew'>

  constructor(rightOf: (path: string) => SettingRight, paths: Pick<ClientPaths, 'resolveNew'>) {
    this.#rightOf = rightOf
    this.#paths = paths
  }

  /** AppErrors ScopeMissing, PathNotAllowed, InvalidSetting for the first that the caller may not change so. */
  async check(asked: readonly AskedSetting[], caller: Caller): Promise<void> {
    for (const { path } of asked) this.#checkRight(path, caller)
    for (const setting of asked) await this.#checkPaths(setting, caller)
  }

  #checkRight(path: string, caller: Caller): void {
    const right = this.#rightOf(path)
    if (right === 'owner') {
      const text = `The setting ${path} names a program: it is set in the configuration file or by a flag alone.`
      throw new AppError('InvalidSetting', text)
    }
    if (right === 'first' && !caller.anyPath)
      throw new AppError('ScopeMissing', `The setting ${path} is changed by the first key alone.`)
  }

  /** What was there before was named by a key that may. */
  async #checkPaths({ path, value, current }: AskedSetting, caller: Caller): Promise<void> {
    const right = this.#rightOf(path)
    if (right !== 'folder' && (right !== 'file' || caller.anyPath)) return
    const known = textsOf(current)
    for (const named of textsOf(value)) {
      if (named !== '' && !known.includes(named)) await this.#paths.resolveNew(named, caller)
    }
  }
}

function textsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : Array.isArray(value) ? value.map(String) : []
}
