// A program without circuits: a download that asks for hops is refused.

import { AppError } from '../../base/errors.ts'
import type { FurtherEngines } from './engine-additions.ts'

const refused = (): AppError => new AppError('CircuitsUnavailable', 'This program has no circuits.')
const refuse = (): never => {
  throw refused()
}

/** Nothing but that. */
export const noAnonymity: FurtherEngines = {
  check: refuse,
  engine: () => Promise.reject(refused()),
  sources: refuse,
  facts: () => ({ candidates: 0, exits: 0, ready: 0, building: 0, lastFailure: null }),
  loadResume: () => Promise.resolve(null),
  figures: () => [],
  follow: () => undefined,
  setIpFilter: () => undefined,
  stop: () => Promise.resolve(),
}
