// Which chapters the navigation shows: those that are in use. Pure.

/** What of a chapter says whether it is in use (chapter-pages.ts, whose types of browsers are not wanted here). */
interface UsedChapter {
  readonly id: string
  readonly switches?: readonly string[]
  readonly chosenBy?: string
}

/** What of them this device keeps. */
export interface ChapterUse {
  /** Ids of those whose page was opened, or of which the node told something. */
  readonly used: readonly string[]
  /** All are shown. */
  readonly all: boolean
}

/** What the node says of settings; null: it has not said, or not to this key. */
export type SettingsNow = Readonly<Record<string, Readonly<Record<string, { readonly value?: unknown }>>>> | null

/** What was kept: anybody may have written it. `known`: ids of chapters. */
export function chapterUseIn(kept: unknown, known: readonly string[]): ChapterUse {
  const { used, all } = (kept ?? {}) as { readonly used?: unknown; readonly all?: unknown }
  return { used: Array.isArray(used) ? known.filter(id => used.includes(id)) : [], all: all === true }
}

/** The same with one more; itself where it has that one. */
export function withUsed(use: ChapterUse, id: string): ChapterUse {
  return use.used.includes(id) ? use : { ...use, used: [...use.used, id] }
}

/** Whether a chapter is in use: somebody switched it on, or used it and did not switch it off. */
export function isInUse(
  { id, switches = [], chosenBy }: UsedChapter,
  { used }: ChapterUse,
  settings: SettingsNow,
): boolean {
  const valueOf = (name: string): unknown => {
    const [section = '', option = ''] = name.split('.')
    return settings?.[section]?.[option]?.value
  }
  const chosen = chosenBy === undefined ? undefined : valueOf(chosenBy)
  if (typeof chosen === 'boolean') return chosen
  return used.includes(id) && !switches.some(name => valueOf(name) === false)
}
