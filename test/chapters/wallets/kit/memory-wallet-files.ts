// Files of wallets in memory, that a test can have fail or wait.

import { AppError } from '../../../../src/base/errors.ts'
import type { WalletFiles } from '../../../../src/chapters/wallets/ports/wallet-files.ts'

/** WalletFiles without a disk. */
export class MemoryWalletFiles implements WalletFiles {
  readonly texts = new Map<string, string>()
  /** Called before each change with the name of the file; may throw, or wait. */
  before: (name: string, text: string) => Promise<void> | void = () => undefined

  /** The disk is full for files whose names this matches. */
  full(names: RegExp): void {
    this.before = name => {
      if (names.test(name)) throw new AppError('DiskFull', `A wallet could not be kept: ENOSPC (${name})`)
    }
  }

  read(name: string): Promise<string | null> {
    return Promise.resolve(this.texts.get(name) ?? null)
  }

  async write(name: string, text: string): Promise<void> {
    await this.before(name, text)
    this.texts.set(name, text)
  }

  async append(name: string, line: string): Promise<void> {
    await this.before(name, line)
    this.texts.set(name, `${this.texts.get(name) ?? ''}${line}\n`)
  }

  tail(name: string, lines: number): Promise<string[]> {
    return Promise.resolve((this.texts.get(name) ?? '').split('\n').slice(0, -1).slice(-lines))
  }
}
