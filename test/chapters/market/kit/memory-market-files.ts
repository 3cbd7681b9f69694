// Files and the seal of the market in memory: what was written can be read after a "restart", through the same object.

import { AppError } from '../../../../src/base/errors.ts'
import type { MarketFiles, SecretSeal } from '../../../../src/chapters/market/ports/market-files.ts'

/** Files that remember. `fails`: every call rejects with it as long as it is set. */
export class MemoryMarketFiles implements MarketFiles {
  readonly texts = new Map<string, string>()
  fails: Error | null = null

  async read(name: string): Promise<string | null> {
    this.#check()
    return this.texts.get(name) ?? null
  }

  async write(name: string, text: string): Promise<void> {
    this.#check()
    this.texts.set(name, text)
  }

  async list(prefix: string): Promise<string[]> {
    this.#check()
    return [...this.texts.keys()].filter(name => name.startsWith(prefix)).sort()
  }

  async remove(name: string): Promise<void> {
    this.#check()
    this.texts.delete(name)
  }

  #check(): void {
    if (this.fails !== null) throw this.fails
  }
}

const MARK = 'sealed:'

/** Hides the bytes, so that a test can see that they are nowhere else; protects nothing. */
export const memorySeal: SecretSeal = {
  seal: secret => MARK + Buffer.from(secret.map(byte => byte ^ 0xa5)).toString('hex'),
  open: sealed => {
    if (!sealed.startsWith(MARK)) throw new AppError('StateUnreadable', 'This was not sealed here.')
    return Uint8Array.from(Buffer.from(sealed.slice(MARK.length), 'hex'), byte => byte ^ 0xa5)
  },
}
