// Reads a configuration file that is as most are, so that a start need not load what reads all of YAML: sections at the
// margin, options two spaces in, whole numbers, true, false and plain words. Of anything else it says nothing.

/** One option as the file has it. */
export interface FileEntry {
  readonly section: string
  readonly option: string
  readonly value: unknown
  /** From 1. */
  readonly line: number
}

const NAME = '[a-z][a-z0-9_]*'
const SECTION = new RegExp(`^(${NAME}):$`)
const OPTION = new RegExp(`^ {2}(${NAME}): ([A-Za-z0-9_./-]+)$`)
const COMMENT = /^ *(?:#[\x20-\x7e]*)?$/
const WHOLE = /^(?:0|-?[1-9][0-9]{0,14})$/
/** Words and paths; what begins with a digit holds letters and digits alone. */
const WORD = /^(?:[A-Za-z/][A-Za-z0-9_./-]*|[0-9][A-Za-z0-9]*)$/
/** What YAML may take for a number. */
const NUMBER = /^[0-9]+(?:[eE][0-9]+)?$|^0[xXoObB]/
/** What YAML takes for something else than a text, in any of its versions. */
const OTHER = /^(?:null|true|false|yes|no|on|off|y|n)$/i

/** The options of `text`, in its order; null: it is not that plain. */
export function plainEntries(text: string): FileEntry[] | null {
  const entries: FileEntry[] = []
  const seen = new Set<string>()
  let section = ''
  for (const [at, line] of text.split('\n').entries()) {
    if (COMMENT.test(line)) continue
    const found = SECTION.exec(line)?.[1]
    const [, option = '', word = ''] = found === undefined ? (OPTION.exec(line) ?? []) : []
    const name = found ?? `${section}.${option}`
    // What is there twice is for the reader of YAML to refuse.
    if (seen.has(name) || OTHER.test(found ?? option)) return null
    seen.add(name)
    if (found !== undefined) {
      section = found
      continue
    }
    const value = plainValue(word)
    if (section === '' || option === '' || value === null) return null
    entries.push({ section, option, value, line: at + 1 })
  }
  return entries
}

function plainValue(word: string): string | number | boolean | null {
  if (word === 'true' || word === 'false') return word === 'true'
  if (WHOLE.test(word)) return Number(word)
  return WORD.test(word) && !NUMBER.test(word) && !OTHER.test(word) ? word : null
}
