// The version of this software, from the package it was installed with.

import { readFileSync } from 'node:fs'

/** `package.json` lies three folders above the built file, in the project as in an installed package. */
const PACKAGE_URL = new URL('../../../package.json', import.meta.url)

/** For example `0.1.0`. */
export function readVersion(): string {
  const manifest = JSON.parse(readFileSync(PACKAGE_URL, 'utf8')) as { version: string }
  return manifest.version
}
