// The third-party notices of all that is passed on: of the packages in the bundles, of those that are installed beside
// the program, and of the libraries inside their machine code.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EMBEDDED_PARTS } from './embedded-parts.ts'
import type { ShippedPackage } from './shipped-packages.ts'

/**
 * The text of dist/src/bundle/licences.txt. `root`: the project's folder. Throws when a text is missing that is named.
 */
export function noticesOf(
  root: string,
  bundled: readonly ShippedPackage[],
  installed: readonly ShippedPackage[],
): string {
  const names = new Set([...bundled, ...installed].map(({ name }) => name))
  const words = new Words()
  const parts = EMBEDDED_PARTS.filter(({ within }) => names.has(within))
  return [
    'The program holds code of these packages.\n',
    ...bundled.map(one => packageNotice(root, one, words)),
    'These packages are installed beside it.\n',
    ...installed.map(one => packageNotice(root, one, words)),
    'The machine code of packages holds these libraries.\n',
    ...parts.map(({ name, within, licence, text, source, authors }) => {
      const written = words.of(name, readFileSync(join(root, text), 'utf8').trim())
      const whose = authors === undefined ? '' : `${authors}\n\n`
      return `==== ${name} (${licence}), in ${within}\n${source}\n\n${whose}${written}\n`
    }),
  ].join('\n')
}

/** A text that stood before is not written again: many packages have the same one to the letter. */
class Words {
  readonly #first = new Map<string, string>()

  of(owner: string, text: string): string {
    const first = this.#first.get(text)
    if (first !== undefined) return `The words that stand at ${first}.`
    this.#first.set(text, owner)
    return text
  }
}

function packageNotice(root: string, { name, version, licence, folder }: ShippedPackage, words: Words): string {
  const texts = readdirSync(join(root, folder))
    .filter(file => /^(licen[cs]e|copying|notice)/i.test(file))
    .toSorted()
    .map(file => `\n${words.of(`${name} ${version}`, readFileSync(join(root, folder, file), 'utf8').trim())}\n`)
  // Who gives a program away with such code in it says where its source is (MPL 2.0, 3.2).
  const source = licence.startsWith('MPL') ? `Its source, unchanged: npm pack ${name}@${version}\n` : ''
  return `==== ${name} ${version} (${licence})\n${source}${texts.join('')}`
}
