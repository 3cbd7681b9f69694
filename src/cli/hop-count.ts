// The value of an option that says hops.

import { InvalidArgumentError } from 'commander'

/** 0 to 3; throws InvalidArgumentError. */
export function hopCount(text: string): number {
  if (!/^[0-3]$/.test(text)) throw new InvalidArgumentError('It must be a number from 0 to 3.')
  return Number(text)
}
