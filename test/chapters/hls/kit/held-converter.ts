// A program that converts when a test says so.

import { AppError } from '../../../../src/base/errors.ts'
import type { ConversionLimits, FilmConverter } from '../../../../src/chapters/hls/ports/film-converter.ts'

/** What it says that it can do: all. */
export const abilities = { sound: true, picture: true, without: '' }

/** The program. */
export class HeldConverter implements FilmConverter {
  readonly threads = 2
  readonly asked: { readonly args: readonly string[]; readonly limits: ConversionLimits }[] = []
  readonly running: { readonly end: () => void; readonly fail: (error: Error) => void }[] = []

  async abilities(): Promise<typeof abilities> {
    return abilities
  }

  convert(
    args: readonly string[],
    _input: Uint8Array,
    limits: ConversionLimits,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    this.asked.push({ args, limits })
    return new Promise((resolve, reject) => {
      const one = {
        end: () => done(() => resolve(Uint8Array.of(2))),
        fail: (error: Error) => done(() => reject(error)),
      }
      const done = (settle: () => void): void => {
        this.running.splice(this.running.indexOf(one), 1)
        settle()
      }
      this.running.push(one)
      signal.addEventListener('abort', () => one.fail(new AppError('Aborted')), { once: true })
    })
  }

  async stop(): Promise<void> {}
}
