// What `tributary doctor` finds: values only. Each finding has a code, and its English is made of the row of that code
// with its parameters, so that others can say it in another language (decision 0566).

/** One thing that was looked at. */
export interface Finding {
  /** `ok`, `warning` (the node runs, something will go wrong or slow), `problem` (it cannot run, or loses data). */
  readonly state: 'ok' | 'warning' | 'problem'
  /** What was looked at: ports, mounts, permissions, clock, database, open-files, ... */
  readonly check: string
  /** What was found; stable, of the table of its part: `port_taken`. */
  readonly code: string
  /** What stands in the texts, by name; `role`: a key of `folderRoles`. */
  readonly parameters: Readonly<Record<string, string | number>>
  /** What is so, one sentence. */
  readonly text: string
  /** What to do about it; '' = nothing. */
  readonly advice: string
}

/** What is found under a code: `{name}` in the texts is a parameter. */
export interface FindingRow {
  readonly state: Finding['state']
  readonly check: string
  readonly text: string
  readonly advice: string
}

/** What the folders are that are looked at, for `{role}`. */
export const folderRoles = {
  state: 'state directory',
  downloads: 'folder of downloads',
  watched: 'watch folder',
} as const

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

type Values<Row extends FindingRow> = Readonly<Record<NamesIn<Row['text'] | Row['advice']>, string | number>>

/** All is well. */
export function fine<const Check extends string, const Text extends string>(check: Check, text: Text) {
  return { state: 'ok', check, text, advice: '' } as const
}

/** It runs, but. */
export function warning<const Check extends string, const Text extends string, const Advice extends string>(
  check: Check,
  text: Text,
  advice: Advice,
) {
  return { state: 'warning', check, text, advice } as const
}

/** It cannot run so. */
export function problem<const Check extends string, const Text extends string, const Advice extends string>(
  check: Check,
  text: Text,
  advice: Advice,
) {
  return { state: 'problem', check, text, advice } as const
}

/** Makes findings of a table: of `parameters` they have those that their texts name. */
export function findingsOf<Table extends Readonly<Record<string, FindingRow>>>(table: Table) {
  return <Code extends keyof Table & string>(code: Code, parameters: Values<Table[Code]>): Finding => {
    const { state, check, text, advice } = table[code] as FindingRow
    const given: Readonly<Record<string, string | number>> = parameters
    const names = [...`${text}${advice}`.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const named = Object.fromEntries(names.map(name => [name, given[name] ?? '']))
    const fill = (line: string): string => line.replaceAll(/\{(\w+)\}/g, (_, name: string) => said(name, named[name]))
    return { state, check, code, parameters: named, text: fill(text), advice: fill(advice) }
  }
}

function said(name: string, value: string | number | undefined): string {
  const role = name === 'role' && Object.entries(folderRoles).find(([kind]) => kind === value)
  return role ? role[1] : String(value)
}
